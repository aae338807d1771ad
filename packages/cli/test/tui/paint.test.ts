import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { seg } from '../../src/tui/line.ts';
import { painterFor } from '../../src/tui/paint.ts';

/** A stream that says it is a terminal with colours. */
function terminal(): Writable {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  return Object.assign(stream, { isTTY: true, hasColors: () => true, getColorDepth: () => 24 });
}

const line = [seg(' ◉ model', 'accent'), seg(' plain'), seg(' dim', 'dim')];

afterEach(() => vi.unstubAllEnvs());

describe('painting', () => {
  it('colours what stands out, on a terminal', () => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('NODE_DISABLE_COLORS', undefined);
    vi.stubEnv('FORCE_COLOR', undefined);
    expect(painterFor(terminal())(line)).toBe('\x1b[36m ◉ model\x1b[39m plain\x1b[2m dim\x1b[22m');
  });

  it('uses no colours where nobody wants them or nothing takes them', () => {
    vi.stubEnv('FORCE_COLOR', undefined);
    expect(painterFor(new Writable())(line)).toBe(' ◉ model plain dim');
    vi.stubEnv('NO_COLOR', '1');
    expect(painterFor(terminal())(line)).toBe(' ◉ model plain dim');
  });
});
