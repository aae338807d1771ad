import type { Json } from '@pawl/core';
import { toStopAnswer } from './claude.ts';
import { toJsonFields, getOwnField, type JsonFields } from '../json-fields.ts';
import { parseHookCall, toOutputText, type HookEvent, type HookHost } from './hook-event.ts';
import { governorNotePrefix, type HookOutcome, type HookDecision } from './hook-state.ts';

/** Gemini CLI: once the work is finished, it can be prevented from offering tools at all. */
export const geminiHost: HookHost = {
  name: 'gemini',
  title: 'Gemini CLI',
  factIn(event, given): HookEvent {
    switch (event) {
      case 'BeforeAgent':
        return { type: 'prompted' };
      case 'BeforeTool':
        return { type: 'calling', call: parseHookCall(given) };
      case 'AfterTool':
        return { type: 'called', call: parseHookCall(given), outcome: parseGeminiOutcome(given) };
      case 'BeforeToolSelection':
        return { type: 'choosing' };
      case 'SessionEnd':
        return { type: 'ended' };
      default:
        return { type: 'other' };
    }
  },
  answer: (event, word) =>
    event === 'BeforeToolSelection' ? toNoToolsAnswer(word) : toGeminiAnswer(event, word),
};

/** Number of characters at the end of a command's output that are searched for its exit code. */
const maxExitCodeSearch = 500;

function parseGeminiOutcome(given: JsonFields): HookOutcome {
  const response = getOwnField(given, 'tool_response');
  const fields = toJsonFields(response);
  if (fields === null) return { ok: true, said: toOutputText(response) };
  const error = getOwnField(fields, 'error');
  const said = toOutputText(getOwnField(fields, 'llmContent') ?? getOwnField(fields, 'returnDisplay'));
  if (error !== undefined && error !== null)
    return { ok: false, said: said === '' ? toOutputText(error) : said };
  const code = /^Exit Code: (-?\d{1,9})$/m.exec(said.slice(-maxExitCodeSearch))?.[1];
  return { ok: code === undefined || Number(code) === 0, said };
}

function toGeminiAnswer(event: string, word: HookDecision): Json {
  switch (word.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return {
        hookSpecificOutput: { hookEventName: event, additionalContext: `${governorNotePrefix} ${word.text}` },
      };
    case 'deny':
      return { decision: 'deny', reason: `${governorNotePrefix} ${word.text}` };
    case 'stop':
      return toStopAnswer(word.text);
    default:
      return word satisfies never;
  }
}

function toNoToolsAnswer(word: HookDecision): Json {
  if (word.kind === 'nothing') return null;
  return { hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } } };
}
