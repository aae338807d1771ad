import { setTimeout as sleep } from 'node:timers/promises';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { McpLimits, McpUrlServer } from './mcp-server.ts';
import { expandVariables } from './variables.ts';

/**
 * Creates an HTTP transport. Redirects are followed only within the same origin, so that headers never reach another
 * host.
 */
export function createHttpTransport(
  server: McpUrlServer,
  limits: McpLimits,
  onBroken: StreamBreakHandler,
): Transport {
  const headers = expandVariables(server.name, server.headers ?? {}, process.env);
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
    redirectPolicy: 'same-origin',
    fetch: createBoundedFetch(limits.messageBytes, onBroken),
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    // Let the server release the session, but do not wait for a server that is slow or gone.
    const termination = transport.terminateSession().catch(() => undefined);
    await Promise.race([termination, sleep(limits.closeMs, undefined, { ref: false })]);
    await close();
  };
  return transport;
}

/** Called when the response to a message is cut off, so that its result will never arrive. */
type StreamBreakHandler = (reason: string) => void;

/**
 * Creates a `fetch` with bounded response bodies. Event streams are limited per event rather than in total, because
 * they may stay open for hours.
 */
function createBoundedFetch(bytesMax: number, onBroken: StreamBreakHandler): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const meter = new MessageMeter(bytesMax, isStream);
    // The client library reopens the other stream, which carries server-initiated messages, on its own.
    const isResponse = init?.method === 'POST';
    const body = createBoundedStream(response.body, meter, (reason) => {
      if (isResponse && init.signal?.aborted !== true) onBroken(reason);
    });
    const { status, statusText, headers } = response;
    const bounded = new Response(body, { status, statusText, headers });
    // The redirect check of the client library reads `url`, which a new Response does not have.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

function createBoundedStream(
  body: ReadableStream<Uint8Array>,
  meter: MessageMeter,
  onBroken: StreamBreakHandler,
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

const newlineByte = 0x0a;
const carriageReturn = 0x0d;

/** Counts the bytes of a body, or of one stream event, which ends with an empty line. */
class MessageMeter {
  readonly #bytesMax: number;
  readonly #isStream: boolean;
  #bytes = 0;
  #lineBytes = 0;

  constructor(bytesMax: number, isStream: boolean) {
    this.#bytesMax = bytesMax;
    this.#isStream = isStream;
  }

  count(chunk: Uint8Array): void {
    if (this.#isStream) for (const byte of chunk) this.#countInStream(byte);
    else this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax)
      throw new Error(`It sent a message of more than ${this.#bytesMax} bytes. Request less data at a time.`);
  }

  #countInStream(byte: number): void {
    this.#bytes += 1;
    if (byte === newlineByte) {
      if (this.#lineBytes === 0) this.#bytes = 0;
      this.#lineBytes = 0;
    } else if (byte !== carriageReturn) this.#lineBytes += 1;
  }
}
