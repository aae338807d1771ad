import { createSession, step, type Event, type Session, type SessionStep } from '@pawl/core';
import { createMemory, memorySettings, putEntry } from '@pawl/core/memory';
import { builtInProfiles } from '@pawl/core/profiles';

/** One step of the machine: where it was, what happened, and what came of it. */
export type ReachableStep = { readonly before: Session; readonly event: Event; readonly after: SessionStep };

/**
 * Every step that these events can make from the start of a session, breadth first. Sessions that differ only in when
 * they got where they are count as one, so this ends.
 */
export function* iterateReachableSteps(
  events: readonly Event[],
  lengthMax: number,
): Generator<ReachableStep> {
  const [profile] = builtInProfiles;
  // With the entry that the example of `memory-command-requested` is about.
  const memory = putEntry(createMemory(memorySettings.pawl), { key: 'plan', value: 'Mend the sum.', at: 0 });
  let sessions: Session[] = [
    { ...createSession({ id: 'walk', at: 0, settings: profile?.settings ?? {} }), memory },
  ];
  const seen = new Set<string>();
  for (let length = 0; length < lengthMax; length += 1) {
    const next: Session[] = [];
    for (const before of sessions) {
      for (const event of events) {
        const after = step(before, event);
        yield { before, event, after };
        const key = getStateKey(after.session);
        if (!seen.has(key)) next.push(after.session);
        seen.add(key);
      }
    }
    sessions = next;
  }
}

/** What tells sessions apart: the turn and the phase, but neither the conversation nor any time. */
function getStateKey({ turn, phases }: Session): string {
  const hidden = ['conversation', 'since', 'retryAt', 'startedAt'];
  return JSON.stringify([turn, phases.current], (key, value: unknown) => (hidden.includes(key) ? 0 : value));
}
