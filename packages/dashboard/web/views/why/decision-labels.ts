import type { SessionDecision } from '@pawl/core/projections';
import type { ColorTone } from '../../app/tones.ts';

/** Returns a short label for a decision. */
export function getDecisionLabel(decision: SessionDecision): string {
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
      return 'final answer';
    case 'stop':
      return 'stop';
    default:
      return decision satisfies never;
  }
}

export function getDecisionTone({ kind }: SessionDecision): ColorTone {
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
