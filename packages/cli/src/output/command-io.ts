import type { Readable, Writable } from 'node:stream';

/** The streams of a command: those of the process, or those of a test. */
export type CommandIo = {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
};
