import { PassThrough, Readable, Writable } from 'node:stream';
import type { CommandIo } from '../src/output/command-io.ts';

/** Streams that record what is written to them. */
export function captureIo(input = ''): {
  readonly io: CommandIo;
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

/** Input that answers every question with the same line. */
export function captureTerminalIo(says: string): ReturnType<typeof captureIo> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const captured = captureIo();
  const { stderr } = captured.io;
  const write = stderr.write.bind(stderr);
  const answering = Object.assign(stderr, {
    isTTY: true,
    write(text: string, ...rest: never[]): boolean {
      if (text.endsWith('] ')) setImmediate(() => stdin.write(`${says}\n`));
      return write(text, ...rest);
    },
  });
  return { ...captured, io: { ...captured.io, stdin, stderr: answering } };
}
