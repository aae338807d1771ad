import type { EventType, TurnStatus } from '@pawl/core';

/** The available color tones; each has a variable `--tone-…` and a class `tone-…` that sets `--tone`. */
export type ColorTone =
  | 'user'
  | 'model'
  | 'permission'
  | 'tools'
  | 'hook'
  | 'check'
  | 'recovery'
  | 'paging'
  | 'phase'
  | 'paused'
  | 'halted'
  | 'done'
  | 'governor'
  | 'memory';

const toneByStatus: Readonly<Record<TurnStatus, ColorTone>> = {
  waitingForUser: 'user',
  callingModel: 'model',
  processingResponse: 'model',
  awaitingPermission: 'permission',
  executingTools: 'tools',
  postToolsHook: 'hook',
  progressCheck: 'check',
  phaseTransition: 'phase',
  errorRecovery: 'recovery',
  paging: 'paging',
  paused: 'paused',
  halted: 'halted',
  shuttingDown: 'check',
};

/** Events without a tone of their own look like those that only control the session. */
const toneByEvent: Readonly<Partial<Record<EventType, ColorTone>>> = {
  'user-message': 'user',
  steered: 'user',
  'text-delta': 'model',
  'call-delta': 'model',
  'model-replied': 'model',
  'model-failed': 'recovery',
  'permission-decided': 'permission',
  'tool-started': 'tools',
  'tool-progressed': 'tools',
  'tool-finished': 'tools',
  'hooks-finished': 'hook',
  'hooks-failed': 'recovery',
  'retry-due': 'recovery',
  'recovery-finished': 'recovery',
  'paging-requested': 'paging',
  'paging-finished': 'paging',
  'paging-failed': 'recovery',
  'memory-command-requested': 'memory',
  'phase-started': 'phase',
  'phase-completed': 'phase',
  'verdict-reached': 'governor',
  'finish-requested': 'done',
  'pause-requested': 'paused',
  'resume-requested': 'paused',
  'cancel-requested': 'halted',
  'halt-requested': 'halted',
  'shutdown-requested': 'check',
};

export function getStatusTone(status: TurnStatus | 'damaged'): ColorTone {
  return status === 'damaged' ? 'halted' : toneByStatus[status];
}

export function getEventTone(type: EventType): ColorTone {
  return toneByEvent[type] ?? 'check';
}

const turnStatusLabels: Readonly<Record<TurnStatus, string>> = {
  waitingForUser: 'waiting for you',
  callingModel: 'calling the model',
  processingResponse: 'reading the reply',
  awaitingPermission: 'awaiting permission',
  executingTools: 'running tools',
  postToolsHook: 'running hooks',
  progressCheck: 'checking progress',
  phaseTransition: 'changing phase',
  errorRecovery: 'recovering',
  paging: 'paging memory',
  paused: 'paused',
  halted: 'halted',
  shuttingDown: 'shut down',
};

/** Returns a readable label for a status. */
export function getStatusLabel(status: TurnStatus | 'damaged'): string {
  return status === 'damaged' ? 'damaged' : turnStatusLabels[status];
}
