import { describe, expect, it } from 'vitest';
import { findBestTransition, computeTransitionStats, type ModeChange } from '../../src/modes-entry.ts';

function createRecordedChange(from: string, to: string, durationMs: number): ModeChange {
  return { at: 0, from, to, cause: 'tool', durationMs };
}

describe('the transitions of many runs', () => {
  const runs = [
    {
      moves: [
        createRecordedChange('INIT', 'SEARCHING', 10),
        createRecordedChange('SEARCHING', 'ANALYZING', 40),
      ],
      endedWell: true,
    },
    {
      moves: [
        createRecordedChange('INIT', 'SEARCHING', 30),
        createRecordedChange('SEARCHING', 'STUCK_SEARCH', 900),
      ],
      endedWell: false,
    },
    {
      moves: [
        createRecordedChange('INIT', 'SEARCHING', 20),
        createRecordedChange('SEARCHING', 'ANALYZING', 60),
      ],
      endedWell: true,
    },
  ];

  it('show the count, duration and success rate of each transition [SAV-55, SAV-57]', () => {
    const stats = computeTransitionStats(runs);
    expect(stats[0]).toEqual({ from: 'INIT', to: 'SEARCHING', count: 3, medianMs: 20, endedWell: 2 / 3 });
    expect(stats).toContainEqual({
      from: 'SEARCHING',
      to: 'STUCK_SEARCH',
      count: 1,
      medianMs: 900,
      endedWell: 0,
    });
  });

  it('identify the best next state [SAV-66]', () => {
    const stats = computeTransitionStats(runs);
    expect(findBestTransition(stats, 'SEARCHING')?.to).toBe('ANALYZING');
    expect(findBestTransition(stats, 'FINISHING')).toBeNull();
  });

  it('count a run once, however often it repeats a transition, and accept any name', () => {
    const round = {
      moves: Array.from({ length: 5 }, () => createRecordedChange('__proto__', 'a', 1)),
      endedWell: false,
    };
    expect(computeTransitionStats([round])).toEqual([
      { from: '__proto__', to: 'a', count: 5, medianMs: 1, endedWell: 0 },
    ]);
    expect(computeTransitionStats([])).toEqual([]);
  });
});
