import type { TrackerState } from './track-record.ts';

/** Why the work ended, with a generated summary. */
export type TrackerEnding = { readonly reason: string; readonly summary: string };

export function getTrackerEnding(state: TrackerState, at: number): TrackerEnding | null {
  const { mind } = state;
  if (mind.kind === 'pawl') return null;
  const { history, state: current } = mind.machine;
  if (mind.kind === 'savant') {
    if (mind.finish === null) return null;
    const { reason, verdict } = mind.finish;
    return { reason, summary: summarizeLedger(state, verdict?.reason ?? 'the work was finished', at) };
  }
  if (current !== 'Halted') return null;
  const cause = history.at(-1)?.cause ?? 'halted';
  return { reason: cause, summary: summarizeLedger(state, `halted: ${cause}`, at) };
}

function summarizeLedger({ startedAt, ledger }: TrackerState, why: string, at: number): string {
  const { callsMade, failures, milestones } = ledger;
  const found = milestones.map(({ description }) => description).join('; ') || 'nothing was marked as found';
  return `After ${Math.max(0, at - startedAt)}ms and ${callsMade} calls, ${failures} of them failed: ${why}. So far: ${found}.`;
}
