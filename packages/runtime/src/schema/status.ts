import type { TurnStatus } from '@pawl/core';
import * as z from 'zod';
import type { ExactSchema } from './exact-schema.ts';

const rawTurnStatusSchema = z
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

export const turnStatusSchema: ExactSchema<typeof rawTurnStatusSchema, TurnStatus> = rawTurnStatusSchema;
