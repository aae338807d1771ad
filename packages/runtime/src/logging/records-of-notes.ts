import type { Action, Note, Verdict } from '@pawl/core';
import type { LogLevel, LogRecord } from './log-record.ts';

export function recordOfNote(note: Note): LogRecord {
  switch (note.type) {
    case 'transition':
    case 'mode': {
      const { from, to, cause, durationMs } = note;
      const machine = note.type === 'mode' ? 'mode' : 'turn';
      return {
        level: 'info',
        kind: 'transition',
        msg: 'changed state',
        fields: { machine, from, to, cause, durationMs },
      };
    }
    case 'refused': {
      const { status, event, reason } = note;
      return { level: 'warn', kind: 'refused', msg: 'refused an event', fields: { status, event, reason } };
    }
    case 'verdict':
      return recordOfVerdict(note.verdict);
    case 'paged': {
      const { moved, freedTokens } = note;
      const fields = { moved: moved.length, freedTokens };
      return { level: 'info', kind: 'memory', msg: 'moved entries to storage', fields };
    }
    case 'phase-started': {
      const { number, description } = note;
      return { level: 'info', kind: 'phase', msg: 'began a phase', fields: { number, description } };
    }
    case 'phase-completed': {
      const { number, success } = note;
      const level = success ? 'info' : 'warn';
      return { level, kind: 'phase', msg: 'ended a phase', fields: { number, success } };
    }
    default:
      return note satisfies never;
  }
}

export function recordOfVerdict(verdict: Verdict): LogRecord {
  const { level: gravity, rule, reason, advice, evidence, response } = verdict;
  return {
    level: gravity === 'stuck' ? 'error' : 'warn',
    kind: 'verdict',
    msg: 'reached a verdict',
    fields: { gravity, rule, reason, advice, evidence, response: response.kind },
  };
}

/** What the caller is asked to do. What is said to the model is for a trace, not for a log. */
export function recordOfAction(action: Action): LogRecord {
  const level = levels[action.type];
  const fields = { action: inShort(action) };
  return action.type === 'ask-permission'
    ? { level, kind: 'permission', msg: 'asked for permission', fields }
    : { level, kind: 'action', msg: 'asked for work', fields };
}

const levels: Readonly<Record<Action['type'], LogLevel>> = {
  'ask-model': 'debug',
  'ask-permission': 'info',
  'run-tools': 'debug',
  'run-hooks': 'debug',
  'page-memory': 'debug',
  store: 'debug',
  recover: 'info',
  wait: 'debug',
  'show-text': 'debug',
  'show-error': 'error',
  abort: 'debug',
  stop: 'warn',
  'shut-down': 'info',
};

/** Without what is long. */
function inShort(action: Action): Readonly<Record<string, unknown>> {
  switch (action.type) {
    case 'ask-model': {
      const { conversation, advice, ...rest } = action;
      return { ...rest, messages: conversation.length, isAdvised: advice !== null };
    }
    case 'store':
      return { type: action.type, entries: action.entries.length };
    case 'show-text':
      return { type: action.type, chars: action.text.length };
    case 'recover': {
      const { verdict, ...rest } = action;
      return { ...rest, rule: verdict.rule };
    }
    default:
      return action;
  }
}
