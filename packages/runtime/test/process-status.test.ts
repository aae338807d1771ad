import { describe, expect, it } from 'vitest';
import { parseProcessStatus } from '../src/platform/processes.ts';

const formatStatFields = (state: string): string => `${state} 41 ${'7 '.repeat(17)}12345 ${'0 '.repeat(30)}`;

describe('the status of a process', () => {
  it('is parsed after its name, whatever that is', () => {
    for (const name of ['node', 'a b', ') Z 1 (', '', ')))']) {
      const status = parseProcessStatus(`42 (${name}) ${formatStatFields('S')}\n`);
      expect(status).toEqual({ hasEnded: false, parent: 41, startedAt: '12345' });
    }
  });

  it('shows a process that has ended', () => {
    const states = ['R', 'S', 'D', 'T', 'Z', 'X'];
    const ended = states.filter(
      (state) => parseProcessStatus(`42 (node) ${formatStatFields(state)}`).hasEnded,
    );
    expect(ended).toEqual(['Z', 'X']);
    expect(parseProcessStatus('').hasEnded).toBe(true);
  });
});
