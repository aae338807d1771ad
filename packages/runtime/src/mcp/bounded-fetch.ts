/** Told when a body is cut off, by us or on the way: what was to come in it never will. */
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
    const body = bounded(response.body, { bytesMax, isStream, onBroken });
    const { status, statusText, headers } = response;
    const answer = new Response(body, { status, statusText, headers });
    // Whoever follows redirects looks at where the answer came from.
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };
}

type Bounds = { readonly bytesMax: number; readonly isStream: boolean; readonly onBroken: OnBroken };

function bounded(body: ReadableStream<Uint8Array>, { bytesMax, isStream, onBroken }: Bounds): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isCancelled = false;
  let bytes = 0;
  let lineBytes = 0;
  const count = (piece: Uint8Array): void => {
    if (!isStream) {
      bytes += piece.length;
      return;
    }
    for (const byte of piece) {
      bytes += 1;
      if (byte === 0x0a && lineBytes === 0) bytes = 0;
      if (byte === 0x0a) lineBytes = 0;
      else if (byte !== 0x0d) lineBytes += 1;
    }
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        count(value);
        if (bytes <= bytesMax) return controller.enqueue(value);
        throw new Error(`It sent more than ${bytesMax} bytes in one message.`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        controller.error(error);
        void reader.cancel(error).catch(() => undefined);
        if (!isCancelled) onBroken(reason);
      }
    },
    cancel(reason) {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
}
