import { step, type Event, type Session } from '@pawl/core';
import type { ReplayedStep } from '@pawl/core/projections';

/** Replays events as logged; `step` ignores events that this version no longer accepts. */
export async function* replaySteps(
  created: Session,
  events: AsyncIterable<{ readonly seq: number; readonly event: Event }>,
  lastSeq = Infinity,
): AsyncGenerator<ReplayedStep, void, undefined> {
  let before = created;
  for await (const { seq, event } of events) {
    if (seq > lastSeq) return;
    const after = step(before, event);
    yield { seq, event, before, after };
    before = after.session;
  }
}
