import { once } from 'node:events';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { observeReply, type ReplyObserver } from './observe-reply.ts';
import type { FormattedReply, ObservedReply, WireFormat } from './wire-format.ts';

/** The wire format of a reply, and the callbacks for it. */
export type ReplyListener = {
  readonly wire: WireFormat;
  readonly onReply: (reply: ObservedReply) => void;
  readonly onCut: () => void;
  /** Returns what to send instead of a complete reply, or null to send it. Null to forward each chunk at once. */
  readonly review: ((reply: ObservedReply) => FormattedReply | null) | null;
};

export type ForwardOptions = {
  /** The body to send; null streams the request's body. */
  readonly body: Buffer | null;
  /** Whether `body` differs from the request's body. */
  readonly isChanged: boolean;
  readonly isStream: boolean;
  readonly listener: ReplyListener | null;
};

export type RequestForwarder = (
  req: IncomingMessage,
  res: ServerResponse,
  options: ForwardOptions,
) => Promise<void>;

/** Forwards requests to one server and its responses back. */
export function createForwarder(upstream: URL): RequestForwarder & { close(): void } {
  const isHttps = upstream.protocol === 'https:';
  const agent = isHttps ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isHttps ? httpsRequest : httpRequest;
  const forward: RequestForwarder = async (req, res, options) => {
    const { body, listener } = options;
    const upstreamRequest = send({
      agent,
      host: upstream.hostname.replaceAll(/[[\]]/g, ''),
      port: upstream.port || (isHttps ? 443 : 80),
      method: req.method,
      path: joinUpstreamPath(upstream, req.url ?? '/'),
      headers: buildForwardHeaders(req, upstream, options),
    });
    // Errors before the response are thrown below; later ones abort the response itself.
    upstreamRequest.on('error', () => undefined);
    // Stop generating a paid reply that no client will read.
    res.once('close', () => void upstreamRequest.destroy());
    if (body === null) void pipeline(req, upstreamRequest).catch(() => undefined);
    else upstreamRequest.end(body);
    const [upstreamResponse] = (await once(upstreamRequest, 'response')) as [IncomingMessage];
    const { statusCode = 502, statusMessage, rawHeaders } = upstreamResponse;
    const sendHead = (): ServerResponse =>
      res.writeHead(statusCode, statusMessage, filterHeaders(rawHeaders, corsHeaders));
    if (listener === null || statusCode !== 200) {
      sendHead().flushHeaders();
      return pipeline(upstreamResponse, res);
    }
    if (listener.review === null) {
      sendHead().flushHeaders();
      return pipeObservedReply(upstreamResponse, res, { ...options, listener });
    }
    const reviewed = await reviewReply(upstreamResponse, { ...options, listener });
    if (reviewed === null) res.destroy();
    else if (reviewed.replacement !== null) sendFormattedReply(res, reviewed.replacement);
    else sendHead().end(reviewed.bytes);
    return undefined;
  };
  return Object.assign(forward, { close: () => agent.destroy() });
}

/** Sends a reply of the proxy itself. */
export function sendFormattedReply(res: ServerResponse, { contentType, body }: FormattedReply): void {
  res.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}

type ListeningOptions = ForwardOptions & { readonly listener: ReplyListener };

function createObserver(
  { headers }: IncomingMessage,
  { listener: { wire }, isStream }: ListeningOptions,
): ReplyObserver {
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = headers;
  return observeReply(wire, { type, encoding: encoding.toLowerCase(), isStream });
}

/** Reads a reply completely and reviews it; null if the server aborted it. */
async function reviewReply(
  upstreamResponse: IncomingMessage,
  options: ListeningOptions,
): Promise<{ readonly bytes: Buffer; readonly replacement: FormattedReply | null } | null> {
  const { listener } = options;
  const observer = createObserver(upstreamResponse, options);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of upstreamResponse as AsyncIterable<Buffer>) {
      const cut = observer.readChunk(chunk);
      chunks.push(cut === null ? chunk : chunk.subarray(0, cut.passBytes));
      if (cut === null) continue;
      chunks.push(Buffer.from(cut.ending));
      listener.onCut();
      break;
    }
  } catch {
    return null;
  }
  const reply = await observer.end();
  const replacement = (reply && listener.review?.(reply)) ?? null;
  if (reply !== null && replacement === null) listener.onReply(reply);
  return { bytes: Buffer.concat(chunks), replacement };
}

/** Forwards each chunk unchanged and at once, with backpressure. */
async function pipeObservedReply(
  upstreamResponse: IncomingMessage,
  res: ServerResponse,
  options: ListeningOptions,
): Promise<void> {
  const { listener } = options;
  const observer = createObserver(upstreamResponse, options);
  try {
    for await (const chunk of upstreamResponse as AsyncIterable<Buffer>) {
      const cut = observer.readChunk(chunk);
      if (cut !== null) {
        res.write(chunk.subarray(0, cut.passBytes));
        res.end(cut.ending);
        listener.onCut();
        break;
      }
      if (!res.write(chunk)) await waitForResponseDrain(res);
      if (res.destroyed) return;
    }
  } catch {
    // The server aborted, so the client must see an aborted reply too, not one that looks complete.
    res.destroy();
    return;
  }
  res.end();
  const reply = await observer.end();
  if (reply !== null) listener.onReply(reply);
}

async function waitForResponseDrain(res: ServerResponse): Promise<void> {
  const closed = new AbortController();
  const onClose = (): void => closed.abort();
  res.once('close', onClose);
  await once(res, 'drain', { signal: closed.signal }).catch(() => undefined);
  res.off('close', onClose);
}

/** Prepends the base path unless the client already includes it. */
function joinUpstreamPath({ pathname }: URL, url: string): string {
  const base = pathname.replace(/\/+$/, '');
  return base === '' || url === base || url.startsWith(`${base}/`) ? url : `${base}${url}`;
}

function buildForwardHeaders(
  req: IncomingMessage,
  upstream: URL,
  { body, isChanged, isStream }: ForwardOptions,
): string[] {
  const replaced = ['host', 'expect', conversationHeader];
  if (isChanged) replaced.push('content-length');
  // A stream is read while it passes and may be cut short, neither of which works on compressed data.
  if (isStream) replaced.push('accept-encoding');
  const headers = ['Host', upstream.host, ...filterHeaders(req.rawHeaders, replaced)];
  if (isStream) headers.push('Accept-Encoding', 'identity');
  if (isChanged && body !== null) headers.push('Content-Length', String(body.length));
  if (body === null && req.headers['transfer-encoding'] !== undefined)
    headers.push('Transfer-Encoding', 'chunked');
  if (body !== null && !isChanged && req.headers['content-length'] === undefined) {
    headers.push('Content-Length', String(body.length));
  }
  return headers;
}

/** Hop-by-hop headers, which are never forwarded. */
const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Response headers that would let web pages read replies. They are never sent. */
const corsHeaders: readonly string[] = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-private-network',
  'access-control-expose-headers',
  'access-control-max-age',
];

/** Names a conversation, for agents whose conversations start alike. It is not forwarded. */
export const conversationHeader = 'x-pawl-conversation';

/**
 * Removes hop-by-hop headers, those that `Connection` names, and those that the caller replaces; order and spelling
 * stay.
 */
function filterHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const excluded = new Set<string>(without);
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[index + 1] ?? '').split(',')) excluded.add(name.trim().toLowerCase());
  }
  return raw.flatMap((name, index) => {
    const key = name.toLowerCase();
    return index % 2 === 1 || hopByHopHeaders.has(key) || excluded.has(key)
      ? []
      : [name, raw[index + 1] ?? ''];
  });
}
