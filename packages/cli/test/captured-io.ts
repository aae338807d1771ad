import { PassThrough, Readable, Writable } from 'node:stream';
import type { Io } from '../src/io.ts';

/** Streams that keep what is written to them. */
export function captureIo(input = ''): {
  readonly io: Io;
  readonly out: () => string;
  readonly err: () => string;
} {
  const written = { out: '', err: '' };
  const sink = (name: 'out' | 'err'): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const stdin: Readable = new PassThrough().end(input);
  return {
    io: { stdin, stdout: sink('out'), stderr: sink('err') },
    out: () => written.out,
    err: () => written.err,
  };
}
