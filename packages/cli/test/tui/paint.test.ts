import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSegment, createPainter } from '../../src/tui/styled-line.ts';

const getColorDepth = (): number => WriteStream.prototype.getColorDepth(process.env);

/** A stream that acts as a terminal and detects colors like one. */
function createColorTerminal(): Writable {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  return Object.assign(stream, { isTTY: true, getColorDepth });
}

const line = [createSegment(' ◉ model', 'accent'), createSegment(' plain'), createSegment(' dim', 'dim')];

beforeEach(() => {
  vi.stubEnv('TERM', 'xterm-256color');
  for (const name of ['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR', 'CI']) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

describe('painting', () => {
  it('colors styled segments on a terminal', () => {
    expect(createPainter(createColorTerminal())(line)).toBe(
      '\x1b[36m ◉ model\x1b[39m plain\x1b[2m dim\x1b[22m',
    );
  });

  it('uses no colors if they are disabled or unsupported', () => {
    expect(createPainter(new Writable())(line)).toBe(' ◉ model plain dim');
    vi.stubEnv('NO_COLOR', '1');
    expect(createPainter(createColorTerminal())(line)).toBe(' ◉ model plain dim');
  });
});
