import { createSession, step, type Event, type SessionOptions } from '../../src/index.ts';
import type { ReplayedStep } from '../../src/projections-entry.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';

/** Replays events ten milliseconds apart and returns every step, also of refused events. */
export function replayTestEvents(
  events: readonly UntimedEvent[],
  options: Partial<SessionOptions> = {},
): readonly ReplayedStep[] {
  let before = createSession({ id: 's', at: 0, ...options });
  return events.map((untimed, index) => {
    const event = { at: (index + 1) * 10, ...untimed } as Event;
    const after = step(before, event);
    const replayed = { seq: index + 1, event, before, after };
    before = after.session;
    return replayed;
  });
}
