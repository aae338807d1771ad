import { toDurableSession, step, type Event, type Session } from '@pawl/core';
import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { computeStateHash } from '../../src/store/store-event-log.ts';
import { arbitrarySession } from './arbitrary-session.ts';
import { createSampleSession, createSampleLog } from './sample-session.ts';

/** The same value, with the keys of every object the other way round. */
function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, item]) => [key, reverseKeys(item)]));
}

function applyToolOutput(output: unknown): Session {
  const event = { type: 'tool-finished', at: 1, callId: 'c0', outcome: { ok: true, output } } as Event;
  return step(createSampleLog(createSampleSession(), 3).end, event).session;
}

function createNestedArray(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
}

describe('the hash of a state', () => {
  it('is the same for the same state, however it is serialized', () => {
    fc.assert(
      fc.property(arbitrarySession(60), ({ end }) => {
        const hash = computeStateHash(end);
        expect(hash).toMatch(/^[0-9a-f]{64}$/);
        expect(computeStateHash(toDurableSession(end))).toBe(hash);
        expect(computeStateHash(JSON.parse(JSON.stringify(end)) as Session)).toBe(hash);
        expect(computeStateHash(reverseKeys(end) as Session)).toBe(hash);
      }),
      { numRuns: 50 },
    );
  });

  it('differs for different states', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 1 }), fc.jsonValue({ maxDepth: 1 }), (one, two) => {
        const [left, right] = [one, two].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(computeStateHash(applyToolOutput(left)) === computeStateHash(applyToolOutput(right))).toBe(
          isDeepStrictEqual(left, right),
        );
      }),
      { numRuns: 300 },
    );
    const outputs = [
      null,
      0,
      '',
      '0',
      [],
      {},
      [[]],
      { a: 1 },
      { a: '1' },
      createNestedArray(1_499),
      createNestedArray(1_500),
    ];
    const odd = ['{"__proto__": 1}', '{"__proto__": 2}', '{"constructor": 1}'].map((text) =>
      JSON.parse(text),
    );
    const all = [...outputs, ...odd, 'a\ud800', 'a\udbff', 'a\0'];
    expect(new Set(all.map((output) => computeStateHash(applyToolOutput(output)))).size).toBe(all.length);
  });

  it('ignores ephemeral data', () => {
    const { end } = createSampleLog(createSampleSession(), 1);
    const streaming = step(end, { type: 'text-delta', at: 1, text: 'he' }).session;
    expect(streaming).not.toEqual(end);
    expect(computeStateHash(streaming)).toBe(computeStateHash(end));
  });
});
