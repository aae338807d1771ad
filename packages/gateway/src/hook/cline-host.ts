import type { Json } from '@pawl/governor';
import { getObjectField, getOwnField, getStringField, type JsonFields } from '../json-fields.ts';
import { toOutputText, type HookEvent, type HookHost } from './hook-event.ts';
import { governorNotePrefix, type HookCall, type HookDecision } from './hook-state.ts';

/**
 * Cline's command line interface: a hook can add context or end the run, but it cannot deny a single call. It does not
 * wait for the hooks of a user message, which would therefore race with the calls; instead, the calls of the first reply
 * after a message show that there was one.
 */
export const clineHost: HookHost = {
  name: 'cline',
  title: 'Cline',
  identityFields: 'taskId and hookName',
  readIdentity: (input) => ({
    session:
      getStringField(getObjectField(input, 'sessionContext'), 'rootSessionId') ||
      getStringField(input, 'taskId'),
    agent: typeof getOwnField(input, 'parent_agent_id') === 'string' ? getStringField(input, 'agent_id') : '',
    event: getStringField(input, 'hookName'),
  }),
  parseEvent(event, input): HookEvent {
    if (event === 'tool_call')
      return getOwnField(input, 'iteration') === 1
        ? { type: 'prompted', text: '' }
        : { type: 'calling', call: parseClineCall(getObjectField(input, 'tool_call')) };
    if (event !== 'tool_result') return { type: 'other' };
    const result = getObjectField(input, 'tool_result');
    const hasFailed = getOwnField(getObjectField(input, 'postToolUse'), 'success') === false;
    // A command that fails is a success of its tool; the output shows its failure.
    const outcome = {
      ok: hasFailed ? false : undefined,
      output: toOutputText(getOwnField(result, 'output')),
    };
    return { type: 'called', call: parseClineCall(result), outcome };
  },
  answer: (_, decision) => toClineAnswer(decision),
};

function parseClineCall(call: JsonFields): HookCall {
  return { tool: getStringField(call, 'name'), args: getOwnField(call, 'input') ?? null };
}

function toClineAnswer(decision: HookDecision): Json {
  switch (decision.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return { contextModification: `${governorNotePrefix} ${decision.text}` };
    case 'deny': {
      const reason = decision.text.replace(/^Not run again: /, '');
      return {
        contextModification: `${governorNotePrefix} This call should not have been made; the next ones end the run. ${reason}`,
      };
    }
    case 'stop':
      return { cancel: true, errorMessage: `Pawl stopped the agent. ${decision.text}` };
    default:
      return decision satisfies never;
  }
}
