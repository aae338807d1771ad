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
    { type: 'tool-finished', callId: 'm', outcome: { ok: true, output: 'stored' } },
  ];
}

describe('working memory after an event', () => {
  const timeline = createTimeline(
    [goalEvent, ...createMemoryAddEvents('small', 'x'), ...createMemoryAddEvents('large', 'y'.repeat(4_000))],
    getProfileOptions('pawl'),
  );

  it('lists the largest entries first, with their sizes', () => {
    const { workingMemory } = buildMemoryViewModel(timeline.latest);
    expect(workingMemory?.entries.map(({ key }) => key)).toEqual(['large', 'small']);
    expect(workingMemory?.entries[0]?.tokens).toBeGreaterThan(1_000);
    expect(workingMemory?.entries.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(workingMemory?.gauge).toMatchObject({ max: 4_096 });
    expect(workingMemory?.hardLimit).toBe(8_192);
  });

  it('shows the entries at the selected event', () => {
    expect(buildMemoryViewModel(timeline.stateAt(4)).workingMemory?.entries.map(({ key }) => key)).toEqual([
      'small',
    ]);
    expect(buildMemoryViewModel(timeline.created).workingMemory?.entries).toEqual([]);
  });

  it('is null without working memory, and the window is null if its size is unknown', () => {
    const loom = createTimeline([goalEvent], getProfileOptions('loom'));
    expect(buildMemoryViewModel(loom.latest)).toEqual({ workingMemory: null, window: null });
  });

  it('is also measured against the context window', () => {
    const windowed = createTimeline([goalEvent], { settings: { windowTokens: 1_000 } });
    const { window } = buildMemoryViewModel(windowed.latest);
    expect(window).toMatchObject({ max: 1_000, fullAt: 900 });
    expect(window?.used).toBeGreaterThan(0);
  });
});

describe('the paging history', () => {
  const { settings } = getProfileOptions('pawl');
  const memory = settings?.memory ?? null;
  if (memory === null) throw new Error('Expected the profile to have memory.');
  const big = Array.from({ length: 6 }, (_, index) =>
    createMemoryAddEvents(`k${index}`, `${index}`.repeat(4_000)),
  ).flat();

  it('lists paged entries with the reason, newest first, up to the selected event', () => {
    const timeline = createTimeline(
      [
        goalEvent,
        ...big,
        createAnswerReply('so far'),
        { type: 'paging-requested', reason: 'tidy up' },
        { type: 'paging-finished', freedTokens: 4_000 },
      ],
      getProfileOptions('pawl'),
    );
    const [latest] = listEarlierPagings(timeline, timeline.head);
    expect(latest).toMatchObject({ seq: timeline.head, reason: 'tidy up' });
    expect(latest?.moved[0]).toMatchObject({ key: 'k0', reason: 'least recently used' });
    expect(listEarlierPagings(timeline, timeline.head - 1).map(({ seq }) => seq)).not.toContain(
      timeline.head,
    );
  });

  it('includes entries evicted by the hard limit', () => {
    const tight = {
      ...memory,
      hardLimit: { enable: true, maxTokens: 3_000 },
      pagingLimit: { enable: false, maxTokens: 9_000 },
    };
    const timeline = createTimeline([goalEvent, ...big], { settings: { ...settings, memory: tight } });
    const moved = listEarlierPagings(timeline, timeline.head).flatMap((paging) => paging.moved);
    expect(moved.map(({ key }) => key)).toContain('k0');
    expect(
      buildMemoryViewModel(timeline.latest).workingMemory?.entries.some(
        ({ key, kind }) => key === 'k0' && kind === 'entry',
      ),
    ).toBe(false);
  });

  it('ignores rejected events', () => {
    const timeline = createTimeline(
      [goalEvent, { type: 'paging-finished', freedTokens: 4_000 }],
      getProfileOptions('pawl'),
    );
    expect(listEarlierPagings(timeline, timeline.head)).toEqual([]);
  });
});

describe('a treemap', () => {
  const sizes = fc
    .array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 })
    .map((all) => all.toSorted((one, other) => other - one));

  it('gives each entry its share of the area', () => {
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

  it('makes boxes roughly square', () => {
    const boxes = layOutTreemap(
      Array.from({ length: 16 }, () => 1),
      { width: 400, height: 400 },
    );
    for (const { width, height } of boxes) expect(Math.max(width / height, height / width)).toBeLessThan(2);
  });
});
