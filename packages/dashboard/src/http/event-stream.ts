import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { SecretMask } from './json-response.ts';

export type ServerSentEvent = {
  readonly event: string;
  /** Event id that a reconnecting client sends back as Last-Event-ID. */
  readonly id?: number;
  readonly data: unknown;
};

/** One client of a stream. */
export type StreamClient = {
  /** Waits for buffer space; resolves to true once the message is enqueued, or to false if the client disconnected. */
  send(message: ServerSentEvent): Promise<boolean>;
  /** Sends the message only if the buffer has space now; for messages that may be dropped. */
  offer(message: ServerSentEvent): void;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
};

export const streamLimits = {
  /** Maximum number of bytes buffered for one client. */
  pendingBytes: 1_000_000,
  /** A client that reads nothing for this long while its buffer is full is disconnected; it can resume later. */
  slowMs: 15_000,
  heartbeatMs: 15_000,
} as const;

export type StreamOptions = {
  readonly mask: SecretMask;
  readonly slowMs?: number;
  readonly onEnd: () => void;
};

/** Responds with server-sent events until `pump` ends or the client disconnects. */
export function respondWithEventStream(
  context: Context,
  { mask, slowMs = streamLimits.slowMs, onEnd }: StreamOptions,
  pump: (client: StreamClient) => Promise<void>,
): Response {
  const disconnecting = new AbortController();
  const encoder = new TextEncoder();
  let bufferSpace = Promise.withResolvers<void>();
  const end = (): void => {
    if (disconnecting.signal.aborted) return;
    disconnecting.abort();
    bufferSpace.resolve();
    clearInterval(heartbeat);
    onEnd();
  };
  let heartbeat: NodeJS.Timeout;
  const dropClient = (): void => {
    end();
    // Destroy the connection: the client will never read the buffered data.
    (context.env as Partial<HttpBindings>).outgoing?.destroy();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const hasBufferSpace = (): boolean => (controller.desiredSize ?? 0) > 0;
        const enqueue = (lines: string): void => controller.enqueue(encoder.encode(lines));
        heartbeat = setInterval(() => {
          if (hasBufferSpace()) enqueue(':\n\n');
        }, streamLimits.heartbeatMs);
        const client: StreamClient = {
          signal: disconnecting.signal,
          offer(message) {
            if (!disconnecting.signal.aborted && hasBufferSpace())
              enqueue(formatServerSentEvent(message, mask));
          },
          async send(message) {
            if (!disconnecting.signal.aborted && !hasBufferSpace()) {
              const slowTimer = setTimeout(dropClient, slowMs);
              await bufferSpace.promise;
              clearTimeout(slowTimer);
            }
            if (disconnecting.signal.aborted) return false;
            enqueue(formatServerSentEvent(message, mask));
            return true;
          },
        };
        enqueue('retry: 1000\n\n');
        const finish = (): void => {
          if (disconnecting.signal.aborted) return;
          end();
          controller.close();
        };
        // A client whose session was removed reconnects and gets the error response.
        void pump(client).then(finish, finish);
      },
      pull() {
        bufferSpace.resolve();
        bufferSpace = Promise.withResolvers<void>();
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: streamLimits.pendingBytes }),
  );
  return context.body(body, 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
}

/** JSON escapes line breaks inside strings and has none elsewhere, so the data fits on one line. */
function formatServerSentEvent({ event, id, data }: ServerSentEvent, mask: SecretMask): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${JSON.stringify(mask(data))}\n\n`;
}
