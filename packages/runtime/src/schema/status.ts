import type { TurnStatus } from '@pawl/core';
import * as z from 'zod';
import type { Exactly } from './same.ts';

const schema = z
  .enum([
    'waitingForUser',
    'callingModel',
    'processingResponse',
    'awaitingPermission',
    'executingTools',
    'postToolsHook',
    'progressCheck',
    'phaseTransition',
    'errorRecovery',
    'paging',
    'paused',
    'halted',
    'shuttingDown',
  ])
  .meta({ id: 'TurnStatus', description: 'The name of a state.' });

export const turnStatus: Exactly<typeof schema, TurnStatus> = schema;
