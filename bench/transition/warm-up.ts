import { createSession, eventTypes, step, type Event, type Session } from '@pawl/core';
import { eventExamples } from '@pawl/runtime/schema';

const steps = 100_000;

/**
 * Sends Pawl every type of event in every state it reaches. Before that, the engine has compiled the machine only for
 * ordinary turns; a long-running process has seen more.
 */
export function warmUpPawl(): void {
  let session: Session = createSession({ id: 'seasoning', at: 0 });
  let randomState = 1;
  for (let at = 0; at < steps; at += 1) {
    // A deterministic random number generator (Lehmer, modulus 2^31 - 1).
    randomState = (randomState * 48_271) % 2_147_483_647;
    const type = eventTypes[randomState % eventTypes.length] ?? 'user-message';
    const { status } = session.turn;
    const ended = status === 'halted' || status === 'shuttingDown';
    if (ended) session = createSession({ id: 'seasoning', at });
    session = step(session, { ...withoutRequest(eventExamples[type]), at }).session;
  }
}

/** An answer without a request number applies to the current work. */
function withoutRequest(event: Event): Event {
  if (!('request' in event)) return event;
  const { request: _, ...rest } = event;
  return rest;
}
