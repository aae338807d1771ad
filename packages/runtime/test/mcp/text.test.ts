import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeToolFingerprint } from '../../src/mcp/tool-registry.ts';
import { mcpLimits } from '../../src/mcp/mcp-server.ts';
import { MessageLines } from '../../src/mcp/stdio-transport.ts';
import { parseMcpCallResult, sanitizeServerText } from '../../src/mcp/result-text.ts';

const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 300 });

describe('sanitizeServerText', () => {
  it('leaves nothing invisible and respects the length limit for any text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 200 }), (text, charsMax) => {
        const shown = sanitizeServerText(text, charsMax);
        expect(shown.length).toBeLessThanOrEqual(charsMax);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('leaves plain text unchanged', () => {
    const text = 'Reads a file.\n\tWith ümlauts, 漢字 and 🙂 ⚠️.';
    expect(sanitizeServerText(text, 100)).toBe(text);
  });
});

describe('MessageLines', () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 40 }).map((line) => line.replaceAll('\n', ' ')),
    { maxLength: 20 },
  );

  it('yields the same lines however the input is split into chunks', () => {
    fc.assert(
      fc.property(lines, fc.array(fc.integer({ min: 1, max: 50 })), (given, cuts) => {
        const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''));
        const reader = new MessageLines(1_000, 2_000);
        const read: string[] = [];
        let at = 0;
        for (const size of [...cuts, bytes.length]) {
          for (const line of reader.addChunk(bytes.subarray(at, at + size)))
            read.push(line.kind === 'line' ? line.text : line.kind);
          at += size;
        }
        expect(read).toEqual(given);
      }),
    );
  });

  it('keeps only both ends of an oversized line and continues with the next', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), (size) => {
        const long = `start${'x'.repeat(2_000)}end`;
        const bytes = Buffer.from(`one\n${long}\ntwo\n`);
        const reader = new MessageLines(1_000, 1e6);
        const read = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => [
          ...reader.addChunk(bytes.subarray(index * size, (index + 1) * size)),
        ]).flat();
        expect(read).toEqual([
          { kind: 'line', text: 'one' },
          {
            kind: 'too-long',
            start: expect.stringMatching(/^startx{0,251}$/),
            end: expect.stringMatching(/^x{253}end$/),
          },
          { kind: 'line', text: 'two' },
        ]);
      }),
    );
  });
});

describe('parseMcpCallResult', () => {
  it('converts any response into text of bounded length', () => {
    const answer = fc.record(
      { content: fc.jsonValue(), structuredContent: fc.jsonValue(), isError: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(answer, (each) => {
        const result = parseMcpCallResult(each, { ...mcpLimits, resultChars: 100 });
        const text = result.ok ? result.output : result.error.message;
        expect(text).toBeTypeOf('string');
        expect(JSON.stringify(text).length).toBeLessThan(700);
      }),
    );
  });

  it('uses structured content only without other content', () => {
    const structuredContent = { a: 1 };
    expect(parseMcpCallResult({ structuredContent }, mcpLimits)).toEqual({ ok: true, output: '{"a":1}' });
    const content = [{ type: 'text', text: 'one' }];
    expect(parseMcpCallResult({ content, structuredContent }, mcpLimits)).toEqual({
      ok: true,
      output: 'one',
    });
  });

  it('omits the middle of a long result', () => {
    const content = [{ type: 'text', text: 'x'.repeat(60_000) }];
    const result = parseMcpCallResult({ content }, mcpLimits);
    expect(result).toMatchObject({
      ok: true,
      output: expect.stringContaining('[… 10000 characters left out …]'),
    });
  });

  it('converts an error into a failure', () => {
    const content = [{ type: 'text', text: 'no' }];
    expect(parseMcpCallResult({ content, isError: true }, mcpLimits)).toEqual({
      ok: false,
      error: { kind: 'failed', message: 'no' },
    });
    expect(parseMcpCallResult({ isError: true }, mcpLimits)).toMatchObject({
      ok: false,
      error: { message: 'The tool failed without an error message.' },
    });
  });
});

describe('computeToolFingerprint', () => {
  const server = { name: 'a', command: 'x' };

  it('ignores only the order of keys', () => {
    expect(computeToolFingerprint(server, { a: { b: 1, c: 2 }, d: 3 })).toBe(
      computeToolFingerprint(server, { d: 3, a: { c: 2, b: 1 } }),
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        if (!same && !isEqualIgnoringOrder(one, other))
          expect(computeToolFingerprint(server, one)).not.toBe(computeToolFingerprint(server, other));
      }),
    );
  });

  it('differs for another command, argument, folder or URL', () => {
    const servers = [
      server,
      { name: 'a', command: 'y' },
      { ...server, args: ['z'] },
      { ...server, cwd: '/' },
      { name: 'a', url: 'https://a/' },
    ];
    expect(new Set(servers.map((each) => computeToolFingerprint(each, {}))).size).toBe(servers.length);
  });
});

function isEqualIgnoringOrder(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
