import type { TrackerState } from './track.ts';

/** How the work came to its end, and what to say about it if nobody says it better. */
export type TrackerEnding = { readonly reason: string; readonly summary: string };

export function endingOf(state: TrackerState, at: number): TrackerEnding | null {
  const { mind } = state;
  if (mind.kind === 'pawl') return null;
  const { history, state: current } = mind.machine;
  if (mind.kind === 'savant') {
    if (mind.finish === null) return null;
    const { reason, verdict } = mind.finish;
    return { reason, summary: summed(state, verdict?.reason ?? 'the work was finished', at) };
  }
  if (current !== 'Halted') return null;
  const cause = history.at(-1)?.cause ?? 'halted';
  return { reason: cause, summary: summed(state, `halted: ${cause}`, at) };
}

function summed({ startedAt, ledger }: TrackerState, why: string, at: number): string {
  const { callsMade, failures, milestones } = ledger;
  const found = milestones.map(({ description }) => description).join('; ') || 'nothing was marked as found';
  return `After ${Math.max(0, at - startedAt)}ms and ${callsMade} calls, ${failures} of them failed: ${why}. So far: ${found}.`;
}
