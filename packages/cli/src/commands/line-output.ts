import type { Writable } from 'node:stream';

/** How one sees that a reader has left: the pipe is broken, the socket reset, the stream closed. */
const goneCodes: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'EOF',
  'ECONNRESET',
  'ABORT_ERR',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Writes whole lines at the pace at which they are read, and notices when nobody reads them any more. */
export class LineOutput {
  readonly #stream: Writable;
  #error: unknown = null;

  constructor(stream: Writable, onClosed: () => void = () => undefined) {
    this.#stream = stream;
    // The listener stays: an error may still come when the last line has been handed over.
    stream.on('error', (error) => {
      this.#error ??= error;
      onClosed();
    });
    stream.once('close', onClosed);
  }

  get closed(): boolean {
    return this.#error !== null || this.#stream.destroyed || this.#stream.writableEnded;
  }

  /** Throws what went wrong, unless it is only that the reader has left, which is their right. */
  throwFailure(): void {
    const error = this.#error;
    if (!(error instanceof Error) || ('code' in error && goneCodes.has(error.code))) return;
    throw new Error(`The output cannot be written: ${error.message}`, { cause: error });
  }

  async write(line: string): Promise<void> {
    if (this.closed) return;
    if (!this.#stream.write(`${line}\n`)) await drained(this.#stream);
  }
}

function drained(stream: Writable): Promise<void> {
  const events = ['drain', 'close', 'error'];
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
