import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildMemoryViewModel, listEarlierPagings } from '../../web/views/memory/memory-model.ts';
import { layOutTreemap } from '../../web/views/memory/treemap.ts';
import {
  createAnswerReply,
  goalEvent,
  getProfileOptions,
  createTimeline,
  type UntimedEvent,
} from './test-events.ts';

function createMemoryAddEvents(key: string, value: string): readonly UntimedEvent[] {
  const args = { tags: key, value };
  return [
    { type: 'model-replied', text: '', calls: [{ id: 'm', tool: 'working_memory_add', args }] },
    { type: 'tool-started', callId: 'm' },
    { type: 'tool-finished', callId: 'm', outcome: { ok: true, output: 'kept' } },
  ];
}

describe('working memory after an event', () => {
  const track = createTimeline(
    [goalEvent, ...createMemoryAddEvents('small', 'x'), ...createMemoryAddEvents('large', 'y'.repeat(4_000))],
    getProfileOptions('pawl'),
  );

  it('has the largest entries first, with what each takes', () => {
    const { held } = buildMemoryViewModel(track.now);
    expect(held?.entries.map(({ key }) => key)).toEqual(['large', 'small']);
    expect(held?.entries[0]?.tokens).toBeGreaterThan(1_000);
    expect(held?.entries.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(held?.gauge).toMatchObject({ max: 4_096 });
    expect(held?.hardLimit).toBe(8_192);
  });

  it('is what it was then under time travel', () => {
    expect(buildMemoryViewModel(track.at(4)).held?.entries.map(({ key }) => key)).toEqual(['small']);
    expect(buildMemoryViewModel(track.created).held?.entries).toEqual([]);
  });

  it('is none where the profile has none, and the window is unknown where nobody said how large it is', () => {
    const loom = createTimeline([goalEvent], getProfileOptions('loom'));
    expect(buildMemoryViewModel(loom.now)).toEqual({ held: null, window: null });
  });

  it('is measured against the window of the model too', () => {
    const windowed = createTimeline([goalEvent], { settings: { windowTokens: 1_000 } });
    const { window } = buildMemoryViewModel(windowed.now);
    expect(window).toMatchObject({ max: 1_000, fullAt: 900 });
    expect(window?.used).toBeGreaterThan(0);
  });
});

describe('what was paged out', () => {
  const { settings } = getProfileOptions('pawl');
  const memory = settings?.memory ?? null;
  if (memory === null) throw new Error('the profile has no memory');
  const big = Array.from({ length: 6 }, (_, index) =>
    createMemoryAddEvents(`k${index}`, `${index}`.repeat(4_000)),
  ).flat();

  it('is told with its reason, newest first, and not before it happened', () => {
    const track = createTimeline(
      [
        goalEvent,
        ...big,
        createAnswerReply('so far'),
        { type: 'paging-requested', reason: 'tidy up' },
        { type: 'paging-finished', freedTokens: 4_000 },
      ],
      getProfileOptions('pawl'),
    );
    const [latest] = listEarlierPagings(track, track.head);
    expect(latest).toMatchObject({ seq: track.head, reason: 'tidy up' });
    expect(latest?.moved[0]).toMatchObject({ key: 'k0', why: 'least recently used' });
    expect(listEarlierPagings(track, track.head - 1).map(({ seq }) => seq)).not.toContain(track.head);
  });

  it('has what made room for something new too', () => {
    const tight = {
      ...memory,
      hardLimit: { enable: true, maxTokens: 3_000 },
      pagingLimit: { enable: false, maxTokens: 9_000 },
    };
    const track = createTimeline([goalEvent, ...big], { settings: { ...settings, memory: tight } });
    const moved = listEarlierPagings(track, track.head).flatMap((paging) => paging.moved);
    expect(moved.map(({ key }) => key)).toContain('k0');
    expect(
      buildMemoryViewModel(track.now).held?.entries.some(({ key, kind }) => key === 'k0' && kind === 'entry'),
    ).toBe(false);
  });

  it('is nothing where an event was not taken', () => {
    const track = createTimeline(
      [goalEvent, { type: 'paging-finished', freedTokens: 4_000 }],
      getProfileOptions('pawl'),
    );
    expect(listEarlierPagings(track, track.head)).toEqual([]);
  });
});

describe('a treemap', () => {
  const sizes = fc
    .array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 })
    .map((all) => all.toSorted((one, other) => other - one));

  it('gives each its share of the room, inside it and without overlap', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 2_000 }),
        (all, width, height) => {
          const boxes = layOutTreemap(all, { width, height });
          const total = all.reduce((sum, size) => sum + size, 0);
          expect(boxes).toHaveLength(all.length);
          for (const [index, box] of boxes.entries()) {
            const share = total === 0 ? 0 : (all[index] ?? 0) / total;
            expect(box.width * box.height).toBeCloseTo(share * width * height, 3);
            expect(box.x).toBeGreaterThanOrEqual(-1e-6);
            expect(box.y).toBeGreaterThanOrEqual(-1e-6);
            expect(box.x + box.width).toBeLessThanOrEqual(width + 1e-6);
            expect(box.y + box.height).toBeLessThanOrEqual(height + 1e-6);
          }
        },
      ),
    );
  });

  it('makes boxes about as wide as high', () => {
    const boxes = layOutTreemap(
      Array.from({ length: 16 }, () => 1),
      { width: 400, height: 400 },
    );
    for (const { width, height } of boxes) expect(Math.max(width / height, height / width)).toBeLessThan(2);
  });
});
