import { ApiError } from './api.ts';
import { EventStreamReader, type StreamMessage } from './event-stream.ts';

/** `signed-out` and `gone` are for good; in all other states it goes on by itself. */
export type Connection = 'connecting' | 'live' | 'waiting' | 'asleep' | 'signed-out' | 'gone';

export type Following = {
  /** Where to read from, asked anew for each attempt, so that it can say after which event. */
  readonly address: () => string;
  readonly heard: (message: StreamMessage) => void;
  readonly changed: (connection: Connection) => void;
  /** Before an attempt that is not the first: the place to look up what was missed. */
  readonly again?: () => Promise<void>;
};

/** What comes in faster than this is shown together. */
export const frameMs = 16;

const firstWaitMs = 300;
const waitMaxMs = 5_000;
/** The server sends a sign of life more often than this. */
const silenceMaxMs = 60_000;

/**
 * Follows a stream of server-sent events for as long as somebody wants it: it connects again when the connection ends,
 * waiting longer each time, and lets go while the page is hidden. Returns how to stop.
 */
export function follow(following: Following): () => void {
  const stopping = new AbortController();
  void keepFollowing(following, stopping.signal);
  return () => stopping.abort();
}

async function keepFollowing(following: Following, signal: AbortSignal): Promise<void> {
  let failures = 0;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (document.hidden) following.changed('asleep');
    await untilVisible(signal);
    if (signal.aborted) return;
    following.changed('connecting');
    const ended = await attemptOne(following, signal, attempt > 0);
    if (signal.aborted) return;
    if (ended === 'signed-out' || ended === 'gone') return following.changed(ended);
    failures = ended === 'was-live' ? 0 : failures + 1;
    if (document.hidden) continue;
    following.changed('waiting');
    await pause(Math.min(waitMaxMs, firstWaitMs * 2 ** Math.min(failures, 8)), signal);
  }
}

type Ended = 'was-live' | 'failed' | 'signed-out' | 'gone';

async function attemptOne(following: Following, signal: AbortSignal, isAgain: boolean): Promise<Ended> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  const leaveWhenHidden = (): void => {
    if (document.hidden) leave();
  };
  signal.addEventListener('abort', leave);
  document.addEventListener('visibilitychange', leaveWhenHidden);
  let isLive = false;
  try {
    if (isAgain) await following.again?.();
    const headers = { Accept: 'text/event-stream' };
    const response = await fetch(following.address(), { headers, signal: leaving.signal });
    if (!response.ok || response.body === null) return endedWith(response.status);
    isLive = true;
    following.changed('live');
    await readAll(response.body, following.heard, leave);
    return 'was-live';
  } catch (error) {
    if (error instanceof ApiError) return endedFor(error);
    // Whatever else ended it, the next attempt finds out whether it lasts.
    return isLive ? 'was-live' : 'failed';
  } finally {
    signal.removeEventListener('abort', leave);
    document.removeEventListener('visibilitychange', leaveWhenHidden);
    leave();
  }
}

function endedWith(status: number): Ended {
  if (status === 401 || status === 403) return 'signed-out';
  return status === 404 || status === 410 ? 'gone' : 'failed';
}

function endedFor({ code }: ApiError): Ended {
  if (code === 'unauthorized') return 'signed-out';
  return code === 'not-found' ? 'gone' : 'failed';
}

async function readAll(
  body: ReadableStream<Uint8Array>,
  heard: (message: StreamMessage) => void,
  leave: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new EventStreamReader();
  for (;;) {
    const silence = setTimeout(leave, silenceMaxMs);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    for (const message of lines.read(decoder.decode(value, { stream: true }))) heard(message);
  }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
