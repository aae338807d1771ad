import type { Tone } from '../../app/tones.ts';
import type { Decision } from './decisions-model.ts';

/** What was decided, in a word or two. */
export function kindText(decision: Decision): string {
  switch (decision.kind) {
    case 'verdict':
      return decision.verdict.response.kind;
    case 'denied':
      return 'not run';
    case 'permission':
      return decision.isAllowed ? 'allowed' : 'denied';
    case 'retry':
      return decision.until === null ? 'gave up' : 'retry';
    case 'last answer':
      return 'last answer';
    case 'stop':
      return 'stop';
    default:
      return decision satisfies never;
  }
}

export function toneOf({ kind }: Decision): Tone {
  const tones = {
    verdict: 'governor',
    denied: 'permission',
    permission: 'permission',
    retry: 'recovery',
    'last answer': 'done',
    stop: 'halted',
  } as const;
  return tones[kind];
}
