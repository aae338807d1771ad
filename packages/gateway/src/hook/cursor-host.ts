import type { Json } from '@pawl/governor';
import { getOwnField, getStringField, toJsonFields, type JsonFields } from '../json-fields.ts';
import { parseHookCall, toOutputText, type HookEvent, type HookHost } from './hook-event.ts';
import { governorNotePrefix, type HookDecision, type HookOutcome } from './hook-state.ts';

/** Cursor, as its documentation describes its hooks. No answer ends a turn, so at a stop the calls stay denied. */
export const cursorHost: HookHost = {
  name: 'cursor',
  title: 'Cursor',
  identityFields: 'conversation_id and hook_event_name',
  readIdentity: (input) => ({
    session: getStringField(input, 'conversation_id') || getStringField(input, 'session_id'),
    agent: '',
    event: getStringField(input, 'hook_event_name'),
  }),
  parseEvent(event, input): HookEvent {
    switch (event) {
      case 'beforeSubmitPrompt':
        return { type: 'prompted', text: getStringField(input, 'prompt') };
      case 'preToolUse':
        return { type: 'calling', call: parseHookCall(input) };
      case 'postToolUse':
        return { type: 'called', call: parseHookCall(input), outcome: parseCursorOutcome(input) };
      case 'postToolUseFailure':
        return parseCursorFailure(input);
      case 'sessionEnd':
        return { type: 'ended' };
      default:
        return { type: 'other' };
    }
  },
  answer: (_, decision) => toCursorAnswer(decision),
};

/** The result of a command is JSON as text, with its output and exit code; an MCP tool can report a failure as a result. */
function parseCursorOutcome(input: JsonFields): HookOutcome {
  const output = toOutputText(getOwnField(input, 'tool_output'));
  const exitCode = getOwnField(toJsonFields(parseJsonText(output)) ?? {}, 'exitCode');
  if (typeof exitCode === 'number') return { ok: exitCode === 0, output };
  return { ok: getStringField(input, 'tool_name').startsWith('MCP:') ? undefined : true, output };
}

function parseJsonText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** A call that was interrupted or denied never ran, so it says nothing about progress. */
function parseCursorFailure(input: JsonFields): HookEvent {
  if (getOwnField(input, 'is_interrupt') === true) return { type: 'other' };
  if (getStringField(input, 'failure_type') === 'permission_denied') return { type: 'other' };
  return {
    type: 'called',
    call: parseHookCall(input),
    outcome: { ok: false, output: toOutputText(getOwnField(input, 'error_message')) },
  };
}

function toCursorAnswer(decision: HookDecision): Json {
  switch (decision.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return { additional_context: `${governorNotePrefix} ${decision.text}` };
    case 'deny':
      return {
        permission: 'deny',
        user_message: `Pawl denied this call. ${decision.text}`,
        agent_message: `${governorNotePrefix} ${decision.text}`,
      };
    case 'stop':
      return {
        permission: 'deny',
        user_message: 'Pawl: this agent ignores its denied calls. Stop it.',
        agent_message: `${governorNotePrefix} ${decision.text}`,
      };
    default:
      return decision satisfies never;
  }
}
