import type { ExpectedRow } from './expected-moves.ts';
import type { PausableStateName } from './sample-runs.ts';

/*
 * The same for a paused session, by the state it holds: answers are kept, nothing new is asked for, and resuming asks
 * for what is owed.
 */
export const expectedPausedMoves: { readonly [Name in PausableStateName as `paused, ${Name}`]: ExpectedRow } =
  {
    'paused, waitingForUser': {
      ignored: 'memory-command-requested',
      refused: `text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-finished
      paging-failed verdict-reached finish-requested pause-requested`,
      'paused: wait': 'user-message steered paging-requested phase-started phase-completed',
      'waitingForUser: wait': 'resume-requested cancel-requested',
      'halted: stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, callingModel, fresh': {
      ignored: 'memory-command-requested',
      refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      'paused: show-text': 'text-delta',
      'paused: wait': `call-delta model-replied model-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'callingModel: ask-model': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, callingModel, streaming': {
      ignored: 'memory-command-requested',
      refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      'paused: show-text': 'text-delta',
      'paused: wait': `call-delta model-replied model-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'callingModel: ask-model': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, callingModel, finishing': {
      ignored: 'memory-command-requested',
      refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      'paused: show-text': 'text-delta',
      'paused: wait': `call-delta model-replied model-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'callingModel: ask-model': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, callingModel, with an agenda': {
      ignored: 'memory-command-requested',
      refused: `user-message permission-decided tool-started tool-progressed tool-finished hooks-finished
      hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      'paused: show-text': 'text-delta',
      'paused: wait': `call-delta model-replied model-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'callingModel: ask-model': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, awaitingPermission, two open': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed tool-started tool-progressed
      tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished
      paging-failed pause-requested`,
      'paused: wait':
        'permission-decided steered phase-started phase-completed verdict-reached finish-requested',
      'awaitingPermission: ask-permission': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, awaitingPermission, one open': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed tool-started tool-progressed
      tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished
      paging-failed pause-requested`,
      'paused: wait':
        'permission-decided steered phase-started phase-completed verdict-reached finish-requested',
      'awaitingPermission: ask-permission': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, executingTools, pending': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided
      hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      'paused: wait': `tool-started tool-progressed tool-finished steered phase-started phase-completed
      verdict-reached finish-requested`,
      'executingTools: run-tools': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, executingTools, running': {
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided
      hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      ignored: 'tool-started memory-command-requested',
      'paused: wait': `tool-progressed tool-finished steered phase-started phase-completed verdict-reached
      finish-requested`,
      'executingTools: wait': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, executingTools, one left': {
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided
      hooks-finished hooks-failed retry-due recovery-finished paging-requested paging-finished paging-failed
      pause-requested`,
      ignored: 'tool-started memory-command-requested',
      'paused: wait': `tool-progressed tool-finished steered phase-started phase-completed verdict-reached
      finish-requested`,
      'executingTools: wait': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, postToolsHook': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished retry-due recovery-finished paging-requested paging-finished
      paging-failed pause-requested`,
      'paused: wait': `hooks-finished hooks-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'postToolsHook: run-hooks': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, errorRecovery, model': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed recovery-finished paging-requested
      paging-finished paging-failed pause-requested`,
      'paused: wait': 'retry-due steered phase-started phase-completed verdict-reached finish-requested',
      'errorRecovery: wait': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, errorRecovery, tool': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due paging-requested paging-finished
      paging-failed pause-requested`,
      'paused: wait':
        'recovery-finished steered phase-started phase-completed verdict-reached finish-requested',
      'errorRecovery: recover': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, errorRecovery, hooks': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed recovery-finished paging-requested
      paging-finished paging-failed pause-requested`,
      'paused: wait': 'retry-due steered phase-started phase-completed verdict-reached finish-requested',
      'errorRecovery: wait': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, errorRecovery, paging': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed recovery-finished paging-requested
      paging-finished paging-failed pause-requested`,
      'paused: wait': 'retry-due steered phase-started phase-completed verdict-reached finish-requested',
      'errorRecovery: wait': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, paging, for the model': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      pause-requested`,
      'paused: wait': `paging-finished paging-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'paging: page-memory': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
    'paused, paging, for the user': {
      ignored: 'memory-command-requested',
      refused: `user-message text-delta call-delta model-replied model-failed permission-decided tool-started
      tool-progressed tool-finished hooks-finished hooks-failed retry-due recovery-finished paging-requested
      pause-requested`,
      'paused: wait': `paging-finished paging-failed steered phase-started phase-completed verdict-reached
      finish-requested`,
      'paging: page-memory': 'resume-requested',
      'waitingForUser: abort wait': 'cancel-requested',
      'halted: abort stop': 'halt-requested',
      'shuttingDown: shut-down': 'shutdown-requested',
    },
  };
