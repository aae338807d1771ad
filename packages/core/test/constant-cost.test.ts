import { describe, expect, it } from 'vitest';
import { step, type Event, type Session } from '../src/index.ts';
import { createProfileSession } from './helpers/run-events.ts';

/** One turn of four events: a question, a tool, its result, the answer. */
function createTurnEvents(at: number): readonly Event[] {
  return [
    { type: 'user-message', at, text: `question ${at}` },
    { type: 'model-replied', at, text: '', calls: [{ id: 'a', tool: 'read', args: { path: 'a.txt' } }] },
    { type: 'tool-finished', at, callId: 'a', outcome: { ok: true, output: 'fine' } },
    { type: 'model-replied', at, text: 'answer', calls: [] },
  ];
}

function runTurns(from: Session, first: number, last: number): Session {
  let session = from;
  for (let at = first; at < last; at += 1)
    for (const event of createTurnEvents(at)) session = step(session, event).session;
  return session;
}

/** Every object and array that a value is made of. */
function collectObjects(value: unknown, match = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || match.has(value)) return match;
  match.add(value);
  for (const part of Object.values(value)) collectObjects(part, match);
  return match;
}

/** How many slots a step filled that were not there before: what it cost to make. They are known from then on. */
function countNewSlots(after: Session, known: Set<object>): number {
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null || known.has(value)) return 0;
    known.add(value);
    const parts = Object.values(value);
    return parts.reduce<number>((sum, part) => sum + count(part), parts.length);
  };
  return count(after);
}

/** The most that any step of the turns costs. */
function measureDearestStep(from: Session, first: number, turns: number): number {
  const known = collectObjects(from);
  let most = 0;
  let session = from;
  for (let at = first; at < first + turns; at += 1) {
    for (const event of createTurnEvents(at)) {
      session = step(session, event).session;
      most = Math.max(most, countNewSlots(session, known));
    }
  }
  return most;
}

describe('a step', () => {
  const early = runTurns(createProfileSession('pawl'), 0, 100);
  const late = runTurns(early, 100, 10_000);

  it('allocates a few slots per tree level, however long the session', () => {
    const levels = late.turn.status === 'waitingForUser' ? late.turn.conversation.depth : Number.NaN;
    expect(levels).toBe(3);
    const atFirst = measureDearestStep(early, 100, 12);
    const atLast = measureDearestStep(late, 10_000, 12);
    expect(atLast - atFirst).toBeLessThanOrEqual(2 * 16);
    expect(atLast).toBeLessThan(120);
  });

  it('shares almost all of a long session with the previous one', () => {
    const after = runTurns(late, 10_000, 10_001);
    expect(collectObjects(late).size).toBeGreaterThan(40_000);
    const before = collectObjects(late);
    const created = [...collectObjects(after)].filter((part) => !before.has(part));
    expect(created.length).toBeLessThan(40);
  });

  it('that is refused allocates nothing', () => {
    const { session } = step(late, { type: 'retry-due', at: 1 });
    expect(session).toBe(late);
  });
});
