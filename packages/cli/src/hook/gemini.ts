import type { Json } from '@pawl/core';
import { stopping } from './claude.ts';
import { fieldsOf, own, type Fields } from '../json-fields.ts';
import { callIn, saidIn, type HookFact, type Host } from './fact.ts';
import { mark, type HookOutcome, type Word } from './mind.ts';

/** Gemini CLI: it can be kept from offering tools at all once the work is over. */
export const gemini: Host = {
  name: 'gemini',
  title: 'Gemini CLI',
  factIn(event, given): HookFact {
    switch (event) {
      case 'BeforeAgent':
        return { type: 'prompted' };
      case 'BeforeTool':
        return { type: 'calling', call: callIn(given) };
      case 'AfterTool':
        return { type: 'called', call: callIn(given), outcome: outcomeOf(given) };
      case 'BeforeToolSelection':
        return { type: 'choosing' };
      case 'SessionEnd':
        return { type: 'ended' };
      default:
        return { type: 'other' };
    }
  },
  answer: (event, word) => (event === 'BeforeToolSelection' ? withoutTools(word) : answerTo(event, word)),
};

/** How much at the end of what a command said is looked through for its exit code. */
const endMax = 500;

function outcomeOf(given: Fields): HookOutcome {
  const response = own(given, 'tool_response');
  const fields = fieldsOf(response);
  if (fields === null) return { ok: true, said: saidIn(response) };
  const error = own(fields, 'error');
  const said = saidIn(own(fields, 'llmContent') ?? own(fields, 'returnDisplay'));
  if (error !== undefined && error !== null) return { ok: false, said: said === '' ? saidIn(error) : said };
  const code = /^Exit Code: (-?\d{1,9})$/m.exec(said.slice(-endMax))?.[1];
  return { ok: code === undefined || Number(code) === 0, said };
}

function answerTo(event: string, word: Word): Json {
  switch (word.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return { hookSpecificOutput: { hookEventName: event, additionalContext: `${mark} ${word.text}` } };
    case 'deny':
      return { decision: 'deny', reason: `${mark} ${word.text}` };
    case 'stop':
      return stopping(word.text);
    default:
      return word satisfies never;
  }
}

function withoutTools(word: Word): Json {
  if (word.kind === 'nothing') return null;
  return { hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } } };
}
