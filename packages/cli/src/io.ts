import type { Readable, Writable } from 'node:stream';

/** Where a command reads and writes; the process's own streams, or a test's. */
export type Io = {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
};
