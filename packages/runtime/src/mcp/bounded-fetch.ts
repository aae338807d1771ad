/** Told when the answer to a message is cut off, by us or on the way: what was to come in it never will. */
export type OnBroken = (reason: string) => void;

/**
 * `fetch` whose bodies are bounded: a plain one as a whole, a stream of events event by event, since such a stream may
 * stay open for hours.
 */
export function boundedFetch(bytesMax: number, onBroken: OnBroken): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const meter = new Meter(bytesMax, isStream);
    // The other stream, for what the server says of its own accord, is opened again by the client library.
    const isAnswer = init?.method === 'POST';
    const body = bounded(response.body, meter, (reason) => {
      if (isAnswer && init.signal?.aborted !== true) onBroken(reason);
    });
    const { status, statusText, headers } = response;
    const answer = new Response(body, { status, statusText, headers });
    // Whoever follows redirects looks at where the answer came from.
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };
}

function bounded(
  body: ReadableStream<Uint8Array>,
  meter: Meter,
  onBroken: OnBroken,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        meter.count(value);
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        void reader.cancel(error).catch(() => undefined);
        onBroken(error instanceof Error ? error.message : String(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Counts the bytes of a body, or of one event of a stream, which ends with an empty line. */
class Meter {
  readonly #bytesMax: number;
  readonly #isStream: boolean;
  #bytes = 0;
  #lineBytes = 0;

  constructor(bytesMax: number, isStream: boolean) {
    this.#bytesMax = bytesMax;
    this.#isStream = isStream;
  }

  count(piece: Uint8Array): void {
    if (this.#isStream) for (const byte of piece) this.#countInStream(byte);
    else this.#bytes += piece.length;
    if (this.#bytes > this.#bytesMax)
      throw new Error(`It sent a message of more than ${this.#bytesMax} bytes. Ask for less at a time.`);
  }

  #countInStream(byte: number): void {
    this.#bytes += 1;
    if (byte === newline) {
      if (this.#lineBytes === 0) this.#bytes = 0;
      this.#lineBytes = 0;
    } else if (byte !== carriageReturn) this.#lineBytes += 1;
  }
}
