import type { Json } from '@pawl/governor';
import { toStopAnswer } from './claude.ts';
import { toJsonFields, getOwnField, type JsonFields } from '../json-fields.ts';
import { parseHookCall, toOutputText, type HookEvent, type HookHost } from './hook-event.ts';
import { governorNotePrefix, type HookOutcome, type HookDecision } from './hook-state.ts';

/** Gemini CLI: once the work is finished, it can be prevented from offering tools at all. */
export const geminiHost: HookHost = {
  name: 'gemini',
  title: 'Gemini CLI',
  parseEvent(event, input): HookEvent {
    switch (event) {
      case 'BeforeAgent':
        return { type: 'prompted' };
      case 'BeforeTool':
        return { type: 'calling', call: parseHookCall(input) };
      case 'AfterTool':
        return { type: 'called', call: parseHookCall(input), outcome: parseGeminiOutcome(input) };
      case 'BeforeToolSelection':
        return { type: 'choosing' };
      case 'SessionEnd':
        return { type: 'ended' };
      default:
        return { type: 'other' };
    }
  },
  answer: (event, decision) =>
    event === 'BeforeToolSelection' ? toNoToolsAnswer(decision) : toGeminiAnswer(event, decision),
};

function parseGeminiOutcome(input: JsonFields): HookOutcome {
  const response = getOwnField(input, 'tool_response');
  const fields = toJsonFields(response);
  if (fields === null) return { ok: undefined, output: toOutputText(response) };
  const error = getOwnField(fields, 'error');
  const output = toOutputText(getOwnField(fields, 'llmContent') ?? getOwnField(fields, 'returnDisplay'));
  if (error !== undefined && error !== null)
    return { ok: false, output: output === '' ? toOutputText(error) : output };
  return { ok: undefined, output };
}

function toGeminiAnswer(event: string, decision: HookDecision): Json {
  switch (decision.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return {
        hookSpecificOutput: {
          hookEventName: event,
          additionalContext: `${governorNotePrefix} ${decision.text}`,
        },
      };
    case 'deny':
      return { decision: 'deny', reason: `${governorNotePrefix} ${decision.text}` };
    case 'stop':
      return toStopAnswer(decision.text);
    default:
      return decision satisfies never;
  }
}

function toNoToolsAnswer(decision: HookDecision): Json {
  if (decision.kind === 'nothing') return null;
  return { hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } } };
}
