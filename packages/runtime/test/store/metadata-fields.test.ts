import { describe, expect, it } from 'vitest';
import { getMetadataText, getMetadataTools } from '../../src/store-entry.ts';

describe('the metadata of a session', () => {
  it('has a text field, if it is a string', () => {
    expect(getMetadataText({ dir: '/a' }, 'dir')).toBe('/a');
    expect(getMetadataText({ dir: 1 }, 'dir')).toBe(null);
    expect(getMetadataText({}, 'constructor')).toBe(null);
    expect(getMetadataText('dir', 'dir')).toBe(null);
    expect(getMetadataText(null, 'dir')).toBe(null);
  });

  it('has the offered tools, if all of them are valid', () => {
    const tool = { name: 'look', description: 'Looks.', parameters: {} };
    expect(getMetadataTools({ tools: [tool] })).toEqual([tool]);
    expect(getMetadataTools({ tools: [] })).toEqual([]);
    expect(getMetadataTools({ tools: [tool, { ...tool, name: 3 }] })).toBe(null);
    expect(getMetadataTools({ tools: 'look' })).toBe(null);
    expect(getMetadataTools({})).toBe(null);
  });
});
