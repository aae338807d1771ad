import { ApiRequestError } from './api.ts';
import { EventStreamReader, type ReceivedStreamMessage } from './event-stream.ts';

/** `signed-out` and `gone` are final; in all other states the subscription reconnects by itself. */
export type ConnectionStatus = 'connecting' | 'live' | 'waiting' | 'asleep' | 'signed-out' | 'gone';

export type StreamSubscription = {
  /** Called for each attempt, so that the address can name the last known event. */
  readonly address: () => string;
  readonly heard: (message: ReceivedStreamMessage) => void;
  readonly changed: (connection: ConnectionStatus) => void;
  /** Runs before each reconnect, to load missed changes. */
  readonly again?: () => Promise<void>;
};

/** Messages that arrive within one frame are rendered together. */
export const renderFrameMs = 16;

const reconnectMinMs = 300;
const reconnectMaxMs = 5_000;
/** The server sends heartbeats more often than this. */
const silenceMaxMs = 60_000;

/**
 * Subscribes to a server-sent event stream. It reconnects with exponential backoff when the connection ends, and
 * disconnects while the page is hidden. Returns an unsubscribe function.
 */
export function subscribeToStream(following: StreamSubscription): () => void {
  const stopping = new AbortController();
  void runSubscription(following, stopping.signal);
  return () => stopping.abort();
}

async function runSubscription(following: StreamSubscription, signal: AbortSignal): Promise<void> {
  let failures = 0;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (document.hidden) following.changed('asleep');
    await waitUntilVisible(signal);
    if (signal.aborted) return;
    following.changed('connecting');
    const ended = await attemptStream(following, signal, attempt > 0);
    if (signal.aborted) return;
    if (ended === 'signed-out' || ended === 'gone') return following.changed(ended);
    failures = ended === 'was-live' ? 0 : failures + 1;
    if (document.hidden) continue;
    following.changed('waiting');
    await delayUnlessAborted(Math.min(reconnectMaxMs, reconnectMinMs * 2 ** Math.min(failures, 8)), signal);
  }
}

type AttemptEnd = 'was-live' | 'failed' | 'signed-out' | 'gone';

async function attemptStream(
  following: StreamSubscription,
  signal: AbortSignal,
  isAgain: boolean,
): Promise<AttemptEnd> {
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
    if (!response.ok || response.body === null) return classifyHttpStatus(response.status);
    isLive = true;
    following.changed('live');
    await readStreamBody(response.body, following.heard, leave);
    return 'was-live';
  } catch (error) {
    if (error instanceof ApiRequestError) return classifyApiError(error);
    // Treat any other error as temporary; the next attempt shows whether it persists.
    return isLive ? 'was-live' : 'failed';
  } finally {
    signal.removeEventListener('abort', leave);
    document.removeEventListener('visibilitychange', leaveWhenHidden);
    leave();
  }
}

function classifyHttpStatus(status: number): AttemptEnd {
  if (status === 401 || status === 403) return 'signed-out';
  return status === 404 || status === 410 ? 'gone' : 'failed';
}

function classifyApiError({ code }: ApiRequestError): AttemptEnd {
  if (code === 'unauthorized') return 'signed-out';
  return code === 'not-found' ? 'gone' : 'failed';
}

async function readStreamBody(
  body: ReadableStream<Uint8Array>,
  heard: (message: ReceivedStreamMessage) => void,
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

function waitUntilVisible(signal: AbortSignal): Promise<void> {
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

function delayUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
