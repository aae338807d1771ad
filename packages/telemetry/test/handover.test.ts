import { createSession, type Session } from '@pawl/core';
import { Agent, type StepResult } from '@pawl/runtime';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createStepObserver } from '../src/step-observation.ts';
import { deriveSpanId, type SpanRecord } from '../src/span-writer.ts';
import { createSessionSpans } from '../src/session-spans.ts';
import { lookTool, createLookReply, createPricedModel } from './observed-worker.ts';

const initialSession = createSession({
  id: 'roof',
  at: 0,
  settings: { retryBaseMs: 1, mutatingTools: ['look'] },
});

/** Records the step results of two turns with every kind of operation. */
async function recordSteps(): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  let time = 1_000;
  const agent = new Agent({
    session: initialSession,
    model: createPricedModel([
      createLookReply('roof'),
      { failure: { kind: 'overloaded', message: 'later' } },
      { calls: ['a', 'b'].map((id) => ({ id, tool: 'look', args: { at: id } })) },
      { text: 'Mended.' },
      { failure: { kind: 'context-overflow', message: 'full' } },
      ...['c', 'd', 'e', 'f'].map((id) => createLookReply('nowhere', id)),
      { text: 'There is nothing.' },
    ]),
    tools: [lookTool],
    rules: ({ id }) => (id === 'a' ? 'ask' : 'allow'),
    decide: async () => ({ decision: 'allow' }),
    clock: { now: () => (time += 7), sleepUntil: async () => undefined },
    observe: (each) => void results.push(each),
  });
  for (const goal of ['Mend the roof', 'Look for it']) {
    await agent.sendMessage(goal);
    await agent.waitUntilIdle();
  }
  return results;
}

/** Collects the spans that successive observers write, each starting where the previous one stopped. */
function collectSpans(all: readonly StepResult[], cuts: readonly number[]): readonly SpanRecord[] {
  const records: SpanRecord[] = [];
  let session: Session = initialSession;
  let from = 0;
  for (const to of [...cuts, all.length]) {
    const part = all.slice(from, to);
    const now = session.turn.status === 'paused' ? 0 : session.turn.since;
    const observeStep = createStepObserver(session, { now, getResponse: () => ({}) });
    const context = { now: () => now, model: () => ({ provider: 'pawl', model: 'm' }), content: null };
    const spans = createSessionSpans(session, { ...context, write: (span) => void records.push(span) });
    for (const result of part) {
      const observation = observeStep(result);
      if (observation !== null) spans.observe(observation);
    }
    spans.end();
    session = part.at(-1)?.session ?? session;
    from = to;
  }
  return records;
}

const isStaySpan = ({ key }: SpanRecord): boolean => key === 'session' || key.startsWith('stay');
const summarizeSpan = ({ key, parent, name, start, end, error }: SpanRecord): string =>
  JSON.stringify([key, parent, name, start, end, error]);

describe('sessions handed over between processes', () => {
  let all: readonly StepResult[] = [];
  beforeAll(async () => {
    all = await recordSteps();
  });

  it('have the same spans with the same times, wherever they were handed over', () => {
    const whole = collectSpans(all, []).filter((span) => !isStaySpan(span));
    expect(new Set(whole.map(({ name }) => name)).size).toBeGreaterThanOrEqual(7);
    const cuts = fc.array(fc.nat({ max: all.length }), { maxLength: 4 });
    fc.assert(
      fc.property(cuts, (unsorted) => {
        const parts = collectSpans(
          all,
          unsorted.toSorted((a, b) => a - b),
        );
        expect(parts.filter((span) => !isStaySpan(span)).map(summarizeSpan)).toEqual(
          whole.map(summarizeSpan),
        );
      }),
    );
  });

  it('have one root span, and every other span has an existing parent', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: all.length }), { maxLength: 4 }), (unsorted) => {
        const parts = collectSpans(
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

describe('span ids', () => {
  it('are valid, and differ between sessions and keys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.string(), fc.string(), (session, a, b) => {
        expect(deriveSpanId(session, a)).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
        expect(deriveSpanId(session, a) === deriveSpanId(session, b)).toBe(a === b);
        expect(deriveSpanId(`${session} `, a)).not.toBe(deriveSpanId(session, a));
      }),
    );
  });
});
