import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { SecretMask } from '../secret-mask.ts';

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
  pump: (reader: StreamClient) => Promise<void>,
): Response {
  const gone = new AbortController();
  const text = new TextEncoder();
  let room = Promise.withResolvers<void>();
  const end = (): void => {
    if (gone.signal.aborted) return;
    gone.abort();
    room.resolve();
    clearInterval(heartbeat);
    onEnd();
  };
  let heartbeat: NodeJS.Timeout;
  const cut = (): void => {
    end();
    // Destroy the connection: the client will never read the buffered data.
    (context.env as Partial<HttpBindings>).outgoing?.destroy();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const hasRoom = (): boolean => (controller.desiredSize ?? 0) > 0;
        const put = (lines: string): void => controller.enqueue(text.encode(lines));
        heartbeat = setInterval(() => {
          if (hasRoom()) put(':\n\n');
        }, streamLimits.heartbeatMs);
        const reader: StreamClient = {
          signal: gone.signal,
          offer(message) {
            if (!gone.signal.aborted && hasRoom()) put(formatServerSentEvent(message, mask));
          },
          async send(message) {
            if (!gone.signal.aborted && !hasRoom()) {
              const late = setTimeout(cut, slowMs);
              await room.promise;
              clearTimeout(late);
            }
            if (gone.signal.aborted) return false;
            put(formatServerSentEvent(message, mask));
            return true;
          },
        };
        put('retry: 1000\n\n');
        const finish = (): void => {
          if (gone.signal.aborted) return;
          end();
          controller.close();
        };
        // A client whose session was removed reconnects and gets the error response.
        void pump(reader).then(finish, finish);
      },
      pull() {
        room.resolve();
        room = Promise.withResolvers<void>();
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
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(mask(data))}\n\n`;
}
