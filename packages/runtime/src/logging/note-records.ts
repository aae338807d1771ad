import type { Action, Note, Verdict } from '@pawl/core';
import type { LogLevel, LogRecord } from './log-record.ts';

export function buildNoteRecord(note: Note): LogRecord {
  switch (note.type) {
    case 'transition':
    case 'mode': {
      const { from, to, cause, durationMs } = note;
      const machine = note.type === 'mode' ? 'mode' : 'turn';
      return {
        level: 'info',
        kind: 'transition',
        msg: 'state changed',
        fields: { machine, from, to, cause, durationMs },
      };
    }
    case 'refused': {
      const { status, event, reason } = note;
      return { level: 'warn', kind: 'refused', msg: 'event refused', fields: { status, event, reason } };
    }
    case 'verdict':
      return buildVerdictRecord(note.verdict);
    case 'paged': {
      const { moved, freedTokens } = note;
      const fields = { moved: moved.length, freedTokens };
      return { level: 'info', kind: 'memory', msg: 'entries moved to storage', fields };
    }
    case 'phase-started': {
      const { number, description } = note;
      return { level: 'info', kind: 'phase', msg: 'phase started', fields: { number, description } };
    }
    case 'phase-completed': {
      const { number, success } = note;
      const level = success ? 'info' : 'warn';
      return { level, kind: 'phase', msg: 'phase completed', fields: { number, success } };
    }
    default:
      return note satisfies never;
  }
}

function buildVerdictRecord(verdict: Verdict): LogRecord {
  const { severity, rule, reason, advice, evidence, response } = verdict;
  return {
    level: severity === 'advise' ? 'warn' : 'error',
    kind: 'verdict',
    msg: 'verdict reached',
    fields: { severity, rule, reason, advice, evidence, response: response.kind },
  };
}

/** Builds the log record of an action, without the text sent to the model; traces contain that. */
export function buildActionRecord(action: Action): LogRecord {
  const level = actionLogLevels[action.type];
  const fields = { action: summarizeAction(action) };
  return action.type === 'ask-permission'
    ? { level, kind: 'permission', msg: 'permission requested', fields }
    : { level, kind: 'action', msg: 'action requested', fields };
}

const actionLogLevels: Readonly<Record<Action['type'], LogLevel>> = {
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

/** Replaces long fields with counts. */
function summarizeAction(action: Action): Readonly<Record<string, unknown>> {
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
