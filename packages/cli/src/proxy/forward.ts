import { once } from 'node:events';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { conversationHeader, passedOn } from './headers.ts';
import { watchReply } from './watch-reply.ts';
import type { SeenReply, Wire } from './wire.ts';

/** Whose replies are read, and who hears of them. */
export type Listener = {
  readonly wire: Wire;
  readonly onReply: (reply: SeenReply) => void;
  readonly onCut: () => void;
};

export type Forwarded = {
  /** What is sent; null for the body of the request as it comes. */
  readonly body: Buffer | null;
  /** Whether `body` is not what came. */
  readonly isChanged: boolean;
  readonly isStream: boolean;
  readonly listener: Listener | null;
};

export type Forward = (req: IncomingMessage, res: ServerResponse, forwarded: Forwarded) => Promise<void>;

/** Passes requests on to one server, and its answers back. */
export function forwardTo(upstream: URL): Forward & { close(): void } {
  const isHttps = upstream.protocol === 'https:';
  const agent = isHttps ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isHttps ? httpsRequest : httpRequest;
  const forward: Forward = async (req, res, forwarded) => {
    const { body, listener } = forwarded;
    const going = send({
      agent,
      host: upstream.hostname.replaceAll(/[[\]]/g, ''),
      port: upstream.port || (isHttps ? 443 : 80),
      method: req.method,
      path: pathAt(upstream, req.url ?? '/'),
      headers: headersFor(req, upstream, forwarded),
    });
    // What goes wrong before the answer is thrown below, and after it the answer itself breaks off.
    going.on('error', () => undefined);
    // Nobody pays for an answer that nobody is left to hear.
    res.once('close', () => void going.destroy());
    if (body === null) void pipeline(req, going).catch(() => undefined);
    else going.end(body);
    const [answer] = (await once(going, 'response')) as [IncomingMessage];
    const { statusCode = 502, statusMessage, rawHeaders } = answer;
    res.writeHead(statusCode, statusMessage, passedOn(rawHeaders));
    res.flushHeaders();
    if (listener === null || statusCode !== 200) await pipeline(answer, res);
    else await passWatched(answer, res, listener);
  };
  return Object.assign(forward, { close: () => agent.destroy() });
}

/** Each chunk goes on as it came and at once, at the pace that it is read at. */
async function passWatched(answer: IncomingMessage, res: ServerResponse, listener: Listener): Promise<void> {
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = answer.headers;
  const watched = watchReply(listener.wire, { type, encoding: encoding.toLowerCase() });
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const cut = watched.hear(chunk);
      if (cut !== null) {
        res.write(chunk.subarray(0, cut.pass));
        res.end(cut.ending);
        listener.onCut();
        break;
      }
      if (!res.write(chunk)) await roomIn(res);
      if (res.destroyed) return;
    }
  } catch {
    // The server broke off, so the client must see that too instead of a reply that seems whole.
    res.destroy();
    return;
  }
  res.end();
  const reply = await watched.end();
  if (reply !== null) listener.onReply(reply);
}

async function roomIn(res: ServerResponse): Promise<void> {
  const left = new AbortController();
  const gone = (): void => left.abort();
  res.once('close', gone);
  await once(res, 'drain', { signal: left.signal }).catch(() => undefined);
  res.off('close', gone);
}

/** A base path is put in front unless the client has it too. */
function pathAt({ pathname }: URL, url: string): string {
  const base = pathname.replace(/\/+$/, '');
  return base === '' || url === base || url.startsWith(`${base}/`) ? url : `${base}${url}`;
}

function headersFor(req: IncomingMessage, upstream: URL, { body, isChanged, isStream }: Forwarded): string[] {
  const own = ['host', 'expect', conversationHeader];
  if (isChanged) own.push('content-length');
  // A stream is read as it passes, and one that is cut short gets an ending: neither can be done inside of a compression.
  if (isStream) own.push('accept-encoding');
  const headers = ['Host', upstream.host, ...passedOn(req.rawHeaders, own)];
  if (isStream) headers.push('Accept-Encoding', 'identity');
  if (isChanged && body !== null) headers.push('Content-Length', String(body.length));
  if (body === null && req.headers['transfer-encoding'] !== undefined)
    headers.push('Transfer-Encoding', 'chunked');
  if (body !== null && !isChanged && req.headers['content-length'] === undefined) {
    headers.push('Content-Length', String(body.length));
  }
  return headers;
}
