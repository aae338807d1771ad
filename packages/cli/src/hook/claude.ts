import type { Json } from '@pawl/core';
import { own, type Fields } from '../json-fields.ts';
import { callIn, saidIn, type HookFact, type Host } from './fact.ts';
import { mark, type Word } from './mind.ts';

/** Claude Code: what failed comes under an event of its own. */
export const claude: Host = {
  name: 'claude',
  title: 'Claude Code',
  factIn(event, given) {
    if (event === 'PostToolUseFailure') return failed(given);
    return toolFact(event, given, (response) => ({ ok: true, said: saidIn(response) }));
  },
  answer(event, word) {
    return word.kind === 'stop' ? stopping(word.text) : toolAnswer(event, word);
  },
};

/** What the user called off tells nothing about the work. */
function failed(given: Fields): HookFact {
  if (own(given, 'is_interrupt') === true) return { type: 'other' };
  return { type: 'called', call: callIn(given), outcome: { ok: false, said: saidIn(own(given, 'error')) } };
}

type Read = (response: Json | undefined, given: Fields) => { readonly ok: boolean; readonly said: string };

/** The events that Claude Code and Codex have in common. */
export function toolFact(event: string, given: Fields, read: Read): HookFact {
  switch (event) {
    case 'UserPromptSubmit':
      return { type: 'prompted' };
    case 'PreToolUse':
      return { type: 'calling', call: callIn(given) };
    case 'PostToolUse':
      return { type: 'called', call: callIn(given), outcome: read(own(given, 'tool_response'), given) };
    case 'SessionEnd':
      return { type: 'ended' };
    default:
      return { type: 'other' };
  }
}

/** And their answers. A denial without a reason would not count as one. */
export function toolAnswer(event: string, word: Word): Json {
  switch (word.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return { hookSpecificOutput: { hookEventName: event, additionalContext: `${mark} ${word.text}` } };
    case 'deny':
    case 'stop':
      return {
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: 'deny',
          permissionDecisionReason: `${mark} ${word.text}`,
        },
      };
    default:
      return word satisfies never;
  }
}

export function stopping(reason: string): Json {
  return { continue: false, stopReason: `Pawl stopped the agent. ${reason}` };
}
