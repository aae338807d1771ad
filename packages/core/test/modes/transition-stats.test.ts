import { describe, expect, it } from 'vitest';
import { bestNext, transitionStats, type ModeMove } from '../../src/index.ts';

function move(from: string, to: string, durationMs: number): ModeMove {
  return { at: 0, from, to, cause: 'tool', durationMs };
}

describe('the moves of many runs', () => {
  const runs = [
    { moves: [move('INIT', 'SEARCHING', 10), move('SEARCHING', 'ANALYZING', 40)], endedWell: true },
    { moves: [move('INIT', 'SEARCHING', 30), move('SEARCHING', 'STUCK_SEARCH', 900)], endedWell: false },
    { moves: [move('INIT', 'SEARCHING', 20), move('SEARCHING', 'ANALYZING', 60)], endedWell: true },
  ];

  it('show how often, how long and with what success each was made [SAV-55, SAV-57]', () => {
    const stats = transitionStats(runs);
    expect(stats[0]).toEqual({ from: 'INIT', to: 'SEARCHING', count: 3, medianMs: 20, endedWell: 2 / 3 });
    expect(stats).toContainEqual({
      from: 'SEARCHING',
      to: 'STUCK_SEARCH',
      count: 1,
      medianMs: 900,
      endedWell: 0,
    });
  });

  it('teach where to go next [SAV-66]', () => {
    const stats = transitionStats(runs);
    expect(bestNext(stats, 'SEARCHING')?.to).toBe('ANALYZING');
    expect(bestNext(stats, 'FINISHING')).toBeNull();
  });

  it('count a run once, however often it went round, and take any name for a name', () => {
    const round = { moves: Array.from({ length: 5 }, () => move('__proto__', 'a', 1)), endedWell: false };
    expect(transitionStats([round])).toEqual([
      { from: '__proto__', to: 'a', count: 5, medianMs: 1, endedWell: 0 },
    ]);
    expect(transitionStats([])).toEqual([]);
  });
});
