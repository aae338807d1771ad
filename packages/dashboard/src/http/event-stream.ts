import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Mask } from '../mask.ts';

export type StreamMessage = {
  readonly event: string;
  /** What a reader that comes back says it got last. */
  readonly id?: number;
  readonly data: unknown;
};

/** One reader of a stream. */
export type Reader = {
  /** Waits for room, and resolves once the message is on its way; to false if the reader is gone. */
  send(message: StreamMessage): Promise<boolean>;
  /** Sends it if there is room now: for what need not arrive. */
  offer(message: StreamMessage): void;
  /** Aborted when the reader is gone. */
  readonly gone: AbortSignal;
};

export const streamLimits = {
  /** What may wait for one reader. */
  pendingBytes: 1_000_000,
  /** A reader that takes nothing for this long while more than that waits is cut off; it resumes where it was. */
  slowMs: 15_000,
  heartbeatMs: 15_000,
} as const;

export type StreamOptions = {
  readonly mask: Mask;
  readonly slowMs?: number;
  readonly onEnd: () => void;
};

/** Answers with server-sent events for as long as `pump` runs and the reader stays. */
export function eventStream(
  context: Context,
  { mask, slowMs = streamLimits.slowMs, onEnd }: StreamOptions,
  pump: (reader: Reader) => Promise<void>,
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
    // What waits for it would wait for ever, so the connection goes and takes that with it.
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
        const reader: Reader = {
          gone: gone.signal,
          offer(message) {
            if (!gone.signal.aborted && hasRoom()) put(linesOf(message, mask));
          },
          async send(message) {
            if (!gone.signal.aborted && !hasRoom()) {
              const late = setTimeout(cut, slowMs);
              await room.promise;
              clearTimeout(late);
            }
            if (gone.signal.aborted) return false;
            put(linesOf(message, mask));
            return true;
          },
        };
        put('retry: 1000\n\n');
        const finish = (): void => {
          if (gone.signal.aborted) return;
          end();
          controller.close();
        };
        // A reader whose session is gone reconnects and is told so.
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

/** JSON has no line breaks outside of its texts, and inside they are written as \n: data is one line. */
function linesOf({ event, id, data }: StreamMessage, mask: Mask): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(mask(data))}\n\n`;
}
