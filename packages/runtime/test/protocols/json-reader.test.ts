import { describe, expect, it } from 'vitest';
import { createJsonReader } from '../../src/protocols/json-reader.ts';

/** JSON with a comma too many, of about this length and with this many quotes. */
function createBrokenJson(length: number, quotes = 2): string {
  const open = '"'.padEnd(quotes - 1, "'");
  return `{"a":${open}${'x'.repeat(length)}",}`;
}

describe('createJsonReader', () => {
  it('repairs invalid JSON and reports the repair', () => {
    const read = createJsonReader();
    expect(read('{"a":1}')).toEqual({ value: { a: 1 }, isRepaired: false });
    expect(read("{a: 'b', c: True,}")).toEqual({ value: { a: 'b', c: true }, isRepaired: true });
    expect(read('{"a" b "c" : }')).toBeNull();
  });

  it.each([
    '{"a":}',
    '{"a": : }',
    '{"a":, "b":1}',
    '{a:',
    '{"a":[1, ...]}',
    '{a:"b", …}',
    "{'a': 'b', ... 'c': 'd'}",
  ])('does not make up what is left out of %s', (text) => {
    expect(createJsonReader()(text)).toBeNull();
  });

  it('allows dots inside strings', () => {
    expect(createJsonReader()('{"a":"b ... c…",}')?.value).toEqual({ a: 'b ... c…' });
  });

  it.each([
    ['{"a":"\\d+\\.\\w"}', '\\d+\\.\\w'],
    ['{"a":"C:\\users\\x"}', 'C:\\users\\x'],
    ["{'a':'it\\'s \\u0041',}", "it's A"],
    ['{"a":"x\\\\d\\"",}', 'x\\d"'],
  ])('keeps the backslashes of %s', (text, a) => {
    expect(createJsonReader()(text)).toEqual({ value: { a }, isRepaired: true });
  });

  it('rejects a repair that changes the number of keys', () => {
    expect(createJsonReader()('{"a": """b"""}')).toBeNull();
    expect(createJsonReader()('{"a" "b"}')).toBeNull();
  });

  it('reads valid JSON of any length', () => {
    const text = JSON.stringify({ a: '"'.repeat(500_000) });
    expect(createJsonReader()(text)?.isRepaired).toBe(false);
  });

  it('does not repair a long text', () => {
    expect(createJsonReader()(createBrokenJson(31_000))).toMatchObject({ isRepaired: true });
    expect(createJsonReader()(createBrokenJson(33_000))).toBeNull();
  });

  it('does not repair a text with many quotes, which would take quadratic time', () => {
    expect(createJsonReader()(createBrokenJson(5_000, 100))).toMatchObject({ isRepaired: true });
    expect(createJsonReader()(createBrokenJson(5_000, 1_000))).toBeNull();
    expect(createJsonReader()(`[{"x":${"'a".repeat(4_000)}]`)).toBeNull();
  });

  it('shares one repair budget between all texts', () => {
    const read = createJsonReader();
    expect(read(createBrokenJson(20_000))).toMatchObject({ isRepaired: true });
    expect(read(createBrokenJson(20_000))).toBeNull();
    expect(read('{"a":1}')).toMatchObject({ isRepaired: false });
  });

  it('does not repair deep nesting', () => {
    expect(createJsonReader()(`${'['.repeat(20_000)}1`)).toBeNull();
  });
});
