import { ApiRequestError } from './api.ts';
import { EventStreamReader, type ReceivedStreamMessage } from './event-stream.ts';

/** `signed-out` and `gone` are final; in all other states the subscription reconnects by itself. */
export type ConnectionStatus = 'connecting' | 'live' | 'waiting' | 'asleep' | 'signed-out' | 'gone';

export type StreamSubscription = {
  /** Called for each attempt, so that the address can name the last known event. */
  readonly address: () => string;
  readonly onMessage: (message: ReceivedStreamMessage) => void;
  readonly onStatusChange: (connection: ConnectionStatus) => void;
  /** Runs before each reconnect, to load missed changes. */
  readonly beforeReconnect?: () => Promise<void>;
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
export function subscribeToStream(subscription: StreamSubscription): () => void {
  const stopping = new AbortController();
  void runSubscription(subscription, stopping.signal);
  return () => stopping.abort();
}

async function runSubscription(subscription: StreamSubscription, signal: AbortSignal): Promise<void> {
  let failures = 0;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (document.hidden) subscription.onStatusChange('asleep');
    await waitUntilVisible(signal);
    if (signal.aborted) return;
    subscription.onStatusChange('connecting');
    const result = await attemptStream(subscription, signal, attempt > 0);
    if (signal.aborted) return;
    if (result === 'signed-out' || result === 'gone') return subscription.onStatusChange(result);
    failures = result === 'was-live' ? 0 : failures + 1;
    if (document.hidden) continue;
    subscription.onStatusChange('waiting');
    await delayUnlessAborted(Math.min(reconnectMaxMs, reconnectMinMs * 2 ** Math.min(failures, 8)), signal);
  }
}

type AttemptEnd = 'was-live' | 'failed' | 'signed-out' | 'gone';

async function attemptStream(
  subscription: StreamSubscription,
  signal: AbortSignal,
  isReconnect: boolean,
): Promise<AttemptEnd> {
  const aborting = new AbortController();
  const abort = (): void => aborting.abort();
  const abortWhenHidden = (): void => {
    if (document.hidden) abort();
  };
  signal.addEventListener('abort', abort);
  document.addEventListener('visibilitychange', abortWhenHidden);
  let isLive = false;
  try {
    if (isReconnect) await subscription.beforeReconnect?.();
    const headers = { Accept: 'text/event-stream' };
    const response = await fetch(subscription.address(), { headers, signal: aborting.signal });
    if (!response.ok || response.body === null) return classifyHttpStatus(response.status);
    isLive = true;
    subscription.onStatusChange('live');
    await readStreamBody(response.body, subscription.onMessage, abort);
    return 'was-live';
  } catch (error) {
    if (error instanceof ApiRequestError) return classifyApiError(error);
    // Treat any other error as temporary; the next attempt shows whether it persists.
    return isLive ? 'was-live' : 'failed';
  } finally {
    signal.removeEventListener('abort', abort);
    document.removeEventListener('visibilitychange', abortWhenHidden);
    abort();
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
  onMessage: (message: ReceivedStreamMessage) => void,
  abort: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new EventStreamReader();
  for (;;) {
    const silence = setTimeout(abort, silenceMaxMs);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    for (const message of lines.read(decoder.decode(value, { stream: true }))) onMessage(message);
  }
}

function waitUntilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
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
