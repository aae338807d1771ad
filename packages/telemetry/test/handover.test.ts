import { createSession, type Session } from '@pawl/core';
import { Agent, type Seen } from '@pawl/runtime';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFollower } from '../src/happening.ts';
import { spanIdOf } from '../src/ids.ts';
import type { WrittenSpan } from '../src/span-writer.ts';
import { createSessionSpans } from '../src/spans.ts';
import { look, looks, priced } from './runs.ts';

const begun = createSession({ id: 'roof', at: 0, settings: { retryBaseMs: 1, mutatingTools: ['look'] } });

/** Two turns with all that may happen in one, as an observer is told of it. */
async function record(): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  let time = 1_000;
  const agent = new Agent({
    session: begun,
    model: priced([
      looks('roof'),
      { failure: { kind: 'overloaded', message: 'later' } },
      { calls: ['a', 'b'].map((id) => ({ id, tool: 'look', args: { at: id } })) },
      { text: 'Mended.' },
      { failure: { kind: 'context-overflow', message: 'full' } },
      ...['c', 'd', 'e', 'f'].map((id) => looks('nowhere', id)),
      { text: 'There is nothing.' },
    ]),
    tools: [look],
    rules: ({ id }) => (id === 'a' ? 'ask' : 'allow'),
    decide: async () => ({ decision: 'allow' }),
    clock: { now: () => (time += 7), until: async () => undefined },
    observe: (each) => void seen.push(each),
  });
  for (const goal of ['Mend the roof', 'Look for it']) {
    await agent.say(goal);
    await agent.idle();
  }
  return seen;
}

/** The spans that one observer after the other writes, each beginning where the one before it left. */
function spansOf(all: readonly Seen[], cuts: readonly number[]): readonly WrittenSpan[] {
  const written: WrittenSpan[] = [];
  let session: Session = begun;
  let from = 0;
  for (const to of [...cuts, all.length]) {
    const part = all.slice(from, to);
    const now = session.turn.status === 'paused' ? 0 : session.turn.since;
    const follow = createFollower(session, now);
    const means = { now: () => now, model: () => ({ provider: 'pawl', model: 'm' }), content: null };
    const spans = createSessionSpans(session, { ...means, write: (span) => void written.push(span) });
    for (const seen of part) {
      const happening = follow(seen);
      if (happening !== null) spans.see(happening);
    }
    spans.end();
    session = part.at(-1)?.session ?? session;
    from = to;
  }
  return written;
}

const isStay = ({ key }: WrittenSpan): boolean => key === 'session' || key.startsWith('stay');
const inShort = ({ key, parent, name, start, end, error }: WrittenSpan): string =>
  JSON.stringify([key, parent, name, start, end, error]);

describe('sessions handed over', () => {
  let all: readonly Seen[] = [];
  beforeAll(async () => {
    all = await record();
  });

  it('have the same spans with the same times, whoever wrote them and wherever they were handed over', () => {
    const whole = spansOf(all, []).filter((span) => !isStay(span));
    expect(new Set(whole.map(({ name }) => name)).size).toBeGreaterThanOrEqual(7);
    const cuts = fc.array(fc.nat({ max: all.length }), { maxLength: 4 });
    fc.assert(
      fc.property(cuts, (unsorted) => {
        const parts = spansOf(
          all,
          unsorted.toSorted((a, b) => a - b),
        );
        expect(parts.filter((span) => !isStay(span)).map(inShort)).toEqual(whole.map(inShort));
      }),
    );
  });

  it('have one root, and everything else below something that is there', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: all.length }), { maxLength: 4 }), (unsorted) => {
        const parts = spansOf(
          all,
          unsorted.toSorted((a, b) => a - b),
        );
        const keys = parts.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        expect(parts.filter(({ parent }) => parent === null)).toHaveLength(1);
        for (const { parent } of parts) if (parent !== null) expect(keys).toContain(parent);
      }),
    );
  });
});

describe('ids of spans', () => {
  it('are what a trace may have, and others for other sessions and keys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.string(), fc.string(), (session, a, b) => {
        expect(spanIdOf(session, a)).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
        expect(spanIdOf(session, a) === spanIdOf(session, b)).toBe(a === b);
        expect(spanIdOf(`${session} `, a)).not.toBe(spanIdOf(session, a));
      }),
    );
  });
});
