import type { Json } from '@pawl/core';
import { getOwnField, type JsonFields } from '../json-fields.ts';
import { parseHookCall, toOutputText, type HookEvent, type HookHost } from './hook-event.ts';
import { governorNotePrefix, type HookDecision } from './hook-state.ts';

/** Claude Code: reports failed calls as a separate event. */
export const claudeHost: HookHost = {
  name: 'claude',
  title: 'Claude Code',
  factIn(event, given) {
    if (event === 'PostToolUseFailure') return toFailureEvent(given);
    return toToolHookEvent(event, given, (response) => ({ ok: true, said: toOutputText(response) }));
  },
  answer(event, word) {
    return word.kind === 'stop' ? toStopAnswer(word.text) : toToolAnswer(event, word);
  },
};

/** A call that the user interrupted says nothing about progress. */
function toFailureEvent(given: JsonFields): HookEvent {
  if (getOwnField(given, 'is_interrupt') === true) return { type: 'other' };
  return {
    type: 'called',
    call: parseHookCall(given),
    outcome: { ok: false, said: toOutputText(getOwnField(given, 'error')) },
  };
}

type OutcomeReader = (
  response: Json | undefined,
  given: JsonFields,
) => { readonly ok: boolean; readonly said: string };

/** Converts the events that Claude Code and Codex share. */
export function toToolHookEvent(event: string, given: JsonFields, read: OutcomeReader): HookEvent {
  switch (event) {
    case 'UserPromptSubmit':
      return { type: 'prompted' };
    case 'PreToolUse':
      return { type: 'calling', call: parseHookCall(given) };
    case 'PostToolUse':
      return {
        type: 'called',
        call: parseHookCall(given),
        outcome: read(getOwnField(given, 'tool_response'), given),
      };
    case 'SessionEnd':
      return { type: 'ended' };
    default:
      return { type: 'other' };
  }
}

/** Formats the answers that Claude Code and Codex share. They ignore a denial without a reason. */
export function toToolAnswer(event: string, word: HookDecision): Json {
  switch (word.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return {
        hookSpecificOutput: { hookEventName: event, additionalContext: `${governorNotePrefix} ${word.text}` },
      };
    case 'deny':
    case 'stop':
      return {
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: 'deny',
          permissionDecisionReason: `${governorNotePrefix} ${word.text}`,
        },
      };
    default:
      return word satisfies never;
  }
}

export function toStopAnswer(reason: string): Json {
  return { continue: false, stopReason: `Pawl stopped the agent. ${reason}` };
}
