import { describe, expect, it } from 'vitest';
import { textAbout, toolsAbout } from '../../src/index.ts';

describe('what is known about a session', () => {
  it('is a text under a name, if there is one', () => {
    expect(textAbout({ dir: '/a' }, 'dir')).toBe('/a');
    expect(textAbout({ dir: 1 }, 'dir')).toBe(null);
    expect(textAbout({}, 'constructor')).toBe(null);
    expect(textAbout('dir', 'dir')).toBe(null);
    expect(textAbout(null, 'dir')).toBe(null);
  });

  it('is the tools its model was offered, if all of them are tools', () => {
    const tool = { name: 'look', description: 'Looks.', parameters: {} };
    expect(toolsAbout({ tools: [tool] })).toEqual([tool]);
    expect(toolsAbout({ tools: [] })).toEqual([]);
    expect(toolsAbout({ tools: [tool, { ...tool, name: 3 }] })).toBe(null);
    expect(toolsAbout({ tools: 'look' })).toBe(null);
    expect(toolsAbout({})).toBe(null);
  });
});
