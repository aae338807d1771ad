import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryShown, pagingsUpTo } from '../../web/views/memory/memory-model.ts';
import { treemap } from '../../web/views/memory/treemap.ts';
import { answers, goal, settingsOf, trackOf, type Untimed } from './view-runs.ts';

function adds(key: string, value: string): readonly Untimed[] {
  const args = { tags: key, value };
  return [
    { type: 'model-replied', text: '', calls: [{ id: 'm', tool: 'working_memory_add', args }] },
    { type: 'tool-started', callId: 'm' },
    { type: 'tool-finished', callId: 'm', outcome: { ok: true, output: 'kept' } },
  ];
}

describe('working memory after an event', () => {
  const track = trackOf(
    [goal, ...adds('small', 'x'), ...adds('large', 'y'.repeat(4_000))],
    settingsOf('pawl'),
  );

  it('has the largest entries first, with what each takes', () => {
    const { held } = memoryShown(track.now);
    expect(held?.entries.map(({ key }) => key)).toEqual(['large', 'small']);
    expect(held?.entries[0]?.tokens).toBeGreaterThan(1_000);
    expect(held?.entries.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(held?.gauge).toMatchObject({ max: 4_096 });
    expect(held?.hardLimit).toBe(8_192);
  });

  it('is what it was then under time travel', () => {
    expect(memoryShown(track.at(4)).held?.entries.map(({ key }) => key)).toEqual(['small']);
    expect(memoryShown(track.created).held?.entries).toEqual([]);
  });

  it('is none where the profile has none, and the window is unknown where nobody said how large it is', () => {
    const loom = trackOf([goal], settingsOf('loom'));
    expect(memoryShown(loom.now)).toEqual({ held: null, window: null });
  });

  it('is measured against the window of the model too', () => {
    const windowed = trackOf([goal], { settings: { windowTokens: 1_000 } });
    const { window } = memoryShown(windowed.now);
    expect(window).toMatchObject({ max: 1_000, fullAt: 900 });
    expect(window?.used).toBeGreaterThan(0);
  });
});

describe('what was paged out', () => {
  const { settings } = settingsOf('pawl');
  const memory = settings?.memory ?? null;
  if (memory === null) throw new Error('the profile has no memory');
  const big = Array.from({ length: 6 }, (_, index) => adds(`k${index}`, `${index}`.repeat(4_000))).flat();

  it('is told with its reason, newest first, and not before it happened', () => {
    const track = trackOf(
      [
        goal,
        ...big,
        answers('so far'),
        { type: 'paging-requested', reason: 'tidy up' },
        { type: 'paging-finished', freedTokens: 4_000 },
      ],
      settingsOf('pawl'),
    );
    const [latest] = pagingsUpTo(track, track.head);
    expect(latest).toMatchObject({ seq: track.head, reason: 'tidy up' });
    expect(latest?.moved[0]).toMatchObject({ key: 'k0', why: 'least recently used' });
    expect(pagingsUpTo(track, track.head - 1).map(({ seq }) => seq)).not.toContain(track.head);
  });

  it('has what made room for something new too', () => {
    const tight = {
      ...memory,
      hardLimit: { enable: true, maxTokens: 3_000 },
      pagingLimit: { enable: false, maxTokens: 9_000 },
    };
    const track = trackOf([goal, ...big], { settings: { ...settings, memory: tight } });
    const moved = pagingsUpTo(track, track.head).flatMap((paging) => paging.moved);
    expect(moved.map(({ key }) => key)).toContain('k0');
    expect(
      memoryShown(track.now).held?.entries.some(({ key, kind }) => key === 'k0' && kind === 'entry'),
    ).toBe(false);
  });

  it('is nothing where an event was not taken', () => {
    const track = trackOf([goal, { type: 'paging-finished', freedTokens: 4_000 }], settingsOf('pawl'));
    expect(pagingsUpTo(track, track.head)).toEqual([]);
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
          const boxes = treemap(all, { width, height });
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
    const boxes = treemap(
      Array.from({ length: 16 }, () => 1),
      { width: 400, height: 400 },
    );
    for (const { width, height } of boxes) expect(Math.max(width / height, height / width)).toBeLessThan(2);
  });
});
