import type { Writable } from 'node:stream';

/** Error codes that mean the reader has gone: broken pipe, reset socket, closed stream. */
const readerGoneCodes: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'EOF',
  'ECONNRESET',
  'ABORT_ERR',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Writes whole lines with backpressure, and detects when the reader has gone. */
export class LineOutput {
  readonly #stream: Writable;
  #error: unknown = null;

  constructor(stream: Writable, onClosed: () => void = () => undefined) {
    this.#stream = stream;
    // Keep the listener: an error may still arrive after the last line is written.
    stream.on('error', (error) => {
      this.#error ??= error;
      onClosed();
    });
    stream.once('close', onClosed);
  }

  get closed(): boolean {
    return this.#error !== null || this.#stream.destroyed || this.#stream.writableEnded;
  }

  /** Throws the write error, unless the reader has simply gone. */
  throwFailure(): void {
    const error = this.#error;
    if (!(error instanceof Error) || ('code' in error && readerGoneCodes.has(error.code))) return;
    throw new Error(`The output cannot be written: ${error.message}`, { cause: error });
  }

  async write(line: string): Promise<void> {
    if (this.closed) return;
    if (!this.#stream.write(`${line}\n`)) await waitForDrain(this.#stream);
  }
}

function waitForDrain(stream: Writable): Promise<void> {
  const events = ['drain', 'close', 'error'];
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
