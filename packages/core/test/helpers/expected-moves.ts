import type { PausableStateName, EndedStateName } from './sample-runs.ts';

/*
 * What becomes of each kind of event in each state: the next status and the types of the actions, then the events.
 * `refused`: the event has no meaning in the state. `ignored`: an answer too late, or an event after the end.
 * The events are those of `oneOfEach`.
 */
export type ExpectedRow = { readonly [cell: string]: string };

export const expectedMoves: { readonly [Name in PausableStateName | EndedStateName]: ExpectedRow } = {
  waitingForUser: {
    ignored: 'memory-command-requested',
    refused: `text-delta call-delta model-replied model-failed permission-decided tool-started tool-progressed
      tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-finished paging-failed
      verdict-reached finish-requested resume-requested cancel-requested`,
    'callingModel: ask-model': 'user-message steered',
    'paging: page-memory': 'paging-requested',
    'waitingForUser: wait': 'phase-started phase-completed',
    'paused: wait': 'pause-requested',
    'halted: stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'callingModel, fresh': {
    ignored: 'memory-command-requested',
    refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished hooks-failed
      retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    'callingModel: show-text': 'text-delta',
    'callingModel: wait': 'call-delta steered phase-started phase-completed verdict-reached finish-requested',
    'waitingForUser: wait': 'model-replied',
    'errorRecovery: wait': 'model-failed',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'callingModel, streaming': {
    ignored: 'memory-command-requested',
    refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished hooks-failed
      retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    'callingModel: show-text': 'text-delta',
    'callingModel: wait': 'call-delta steered phase-started phase-completed verdict-reached finish-requested',
    'waitingForUser: wait': 'model-replied',
    'errorRecovery: wait': 'model-failed',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'callingModel, finishing': {
    ignored: 'memory-command-requested',
    refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished hooks-failed
      retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    'callingModel: show-text': 'text-delta',
    'callingModel: wait': 'call-delta steered phase-started phase-completed verdict-reached finish-requested',
    'waitingForUser: wait': 'model-replied',
    'errorRecovery: wait': 'model-failed',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'callingModel, with an agenda': {
    ignored: 'memory-command-requested',
    refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished hooks-failed
      retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    'callingModel: show-text': 'text-delta',
    'callingModel: wait': 'call-delta steered phase-started phase-completed verdict-reached finish-requested',
    'waitingForUser: wait': 'model-replied',
    'errorRecovery: wait': 'model-failed',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'awaitingPermission, two open': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed tool-started tool-progressed tool-finished
      hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      resume-requested`,
    'awaitingPermission: wait': `permission-decided steered phase-started phase-completed verdict-reached
      finish-requested`,
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'awaitingPermission, one open': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed tool-started tool-progressed tool-finished
      hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      resume-requested`,
    'executingTools: run-tools': 'permission-decided',
    'awaitingPermission: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'executingTools, pending': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    'executingTools: wait': `tool-started tool-progressed tool-finished steered phase-started phase-completed
      verdict-reached finish-requested`,
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'executingTools, running': {
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    ignored: 'tool-started memory-command-requested',
    'executingTools: wait': `tool-progressed tool-finished steered phase-started phase-completed verdict-reached
      finish-requested`,
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'executingTools, one left': {
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed resume-requested`,
    ignored: 'tool-started memory-command-requested',
    'executingTools: wait':
      'tool-progressed steered phase-started phase-completed verdict-reached finish-requested',
    'callingModel: ask-model': 'tool-finished',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  postToolsHook: {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished retry-due recovery-finished paging-requested paging-finished paging-failed
      resume-requested`,
    'callingModel: ask-model': 'hooks-finished',
    'errorRecovery: wait': 'hooks-failed',
    'postToolsHook: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'errorRecovery, model': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed recovery-finished paging-requested paging-finished
      paging-failed resume-requested`,
    'callingModel: ask-model': 'retry-due',
    'errorRecovery: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'errorRecovery, tool': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due paging-requested paging-finished
      paging-failed resume-requested`,
    'callingModel: ask-model': 'recovery-finished',
    'errorRecovery: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'errorRecovery, hooks': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed recovery-finished paging-requested paging-finished
      paging-failed resume-requested`,
    'postToolsHook: run-hooks': 'retry-due',
    'errorRecovery: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'errorRecovery, paging': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed recovery-finished paging-requested paging-finished
      paging-failed resume-requested`,
    'paging: page-memory': 'retry-due',
    'errorRecovery: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'paging, for the model': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      resume-requested`,
    'callingModel: ask-model': 'paging-finished',
    'errorRecovery: wait': 'paging-failed',
    'paging: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'paging, for the user': {
    ignored: 'memory-command-requested',
    refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      resume-requested`,
    'waitingForUser: wait': 'paging-finished',
    'errorRecovery: wait': 'paging-failed',
    'paging: wait': 'steered phase-started phase-completed verdict-reached finish-requested',
    'paused: wait': 'pause-requested',
    'waitingForUser: abort wait': 'cancel-requested',
    'halted: abort stop': 'halt-requested',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'halted, on request': {
    ignored: `memory-command-requested user-message steered text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      paging-finished paging-failed phase-started phase-completed verdict-reached finish-requested pause-requested
      resume-requested cancel-requested halt-requested`,
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  'halted, by the governor': {
    ignored: `memory-command-requested text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      paging-finished paging-failed phase-started phase-completed verdict-reached finish-requested pause-requested
      resume-requested cancel-requested halt-requested`,
    'callingModel: ask-model': 'user-message steered',
    'shuttingDown: shut-down': 'shutdown-requested',
  },
  shuttingDown: {
    ignored: `memory-command-requested user-message steered text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      paging-finished paging-failed phase-started phase-completed verdict-reached finish-requested pause-requested
      resume-requested cancel-requested halt-requested`,
    'shuttingDown: shut-down': 'shutdown-requested',
  },
};
