import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Verdict } from '@pawl/core';
import type { GovernOptions } from '@pawl/adapters/messages';
import { own, textIn, type Fields } from '../json-fields.ts';
import { changedBody, readBody } from './body.ts';
import { collected } from './collect.ts';
import { createConversations, type Conversations } from './conversations.ts';
import { forwardTo, type Forwarded, type Listener } from './forward.ts';
import { governRequests, isWork, type GovernedRequest } from './governed-request.ts';
import { conversationHeader } from './headers.ts';
import type { Recorder } from './recorder.ts';
import type { Wire } from './wire.ts';
import { wireAt } from './wires.ts';

/** Something worth telling whoever runs the proxy. */
export type ProxyNote =
  | { readonly type: 'found'; readonly verdict: Verdict; readonly isFinish: boolean }
  | { readonly type: 'cut' }
  | { readonly type: 'over'; readonly reason: string };

export type ProxyOptions = {
  readonly upstream: URL;
  readonly govern: GovernOptions;
  /** Null where nothing is to be kept. */
  readonly recorder: Recorder | null;
  readonly onNote: (note: ProxyNote) => void;
  readonly now: () => number;
};

export type Proxy = {
  /** Not yet listening. */
  readonly server: Server;
  /** Resolves when every reply that has gone out was heard to its end: a client may have it sooner than the record. */
  readonly heard: () => Promise<void>;
};

export function createProxy(options: ProxyOptions): Proxy {
  const { upstream, onNote } = options;
  const conversations = createConversations();
  const govern = governRequests(conversations, options.govern);
  const forward = forwardTo(upstream);

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!isLocal(req)) return refuse(res, 403, 'This proxy serves this machine only.');
    const wire = wireOf(req);
    const bytes = wire === null ? null : await collected(req);
    if (wire === null || bytes === null) return forward(req, res, asItComes);
    const body = readBody(bytes);
    const governed = body === null ? null : govern(wire, body, nameIn(req));
    if (body === null || governed === null) return forward(req, res, { ...asItComes, body: bytes });
    if (governed.kind === 'over') {
      onNote({ type: 'over', reason: governed.reason });
      return refuse(res, 403, `The work was stopped: ${governed.reason}.`);
    }
    const { verdict, isFinish } = governed;
    if (verdict !== null) onNote({ type: 'found', verdict, isFinish });
    const changed = governed.change === null ? null : changedBody(bytes, governed.change);
    return forward(req, res, {
      body: changed ?? bytes,
      isChanged: changed !== null,
      isStream: own(body, 'stream') === true,
      listener: listenTo(governed, { wire, body, conversations, options }),
    });
  };

  const underWay = new Set<Promise<void>>();
  const server = createServer((req, res) => {
    const served = serve(req, res).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (res.headersSent) res.destroy();
      else if (error instanceof Error && 'code' in error)
        refuse(res, 502, `${upstream.origin} does not answer: ${reason}`);
      else refuse(res, 500, reason);
    });
    underWay.add(served);
    void served.then(() => underWay.delete(served));
  });
  server.keepAliveTimeout = keepAliveMs;
  server.on('close', () => forward.close());
  return {
    server,
    heard: async () => void (await Promise.all(underWay)),
  };
}

/** Longer than clients keep a connection that they may want to use again. */
const keepAliveMs = 65_000;

const asItComes: Forwarded = { body: null, isChanged: false, isStream: false, listener: null };

type Listening = {
  readonly wire: Wire;
  readonly body: Fields;
  readonly conversations: Conversations;
  readonly options: ProxyOptions;
};

/** Keeps what the request has told, and whoever hears the reply keeps that. */
function listenTo(
  { heard, verdict }: Extract<GovernedRequest, { readonly kind: 'sent' }>,
  { wire, body, conversations, options: { recorder, onNote, now } }: Listening,
): Listener {
  const { conversation, messages } = heard;
  const model = textIn(body, 'model');
  const keep = (all: readonly Fields[]): void => {
    if (!isWork(heard, body)) return;
    recorder?.keep(conversation, { messages: all, usages: conversation.usages, verdict, at: now() }, model);
  };
  keep(messages);
  return {
    wire,
    onCut: () => onNote({ type: 'cut' }),
    onReply(reply) {
      conversations.reply(heard, reply);
      // A reply with calls is kept once their results are there.
      if (reply.calls.length === 0) keep([...messages, { role: 'assistant', content: reply.text }]);
    },
  };
}

/** The wire of a request that can be read; what is compressed cannot. */
function wireOf({ method, url = '/', headers }: IncomingMessage): Wire | null {
  return headers['content-encoding'] === undefined ? wireAt(method, url) : null;
}

function nameIn({ headers }: IncomingMessage): string | undefined {
  const name = headers[conversationHeader];
  return typeof name === 'string' && name !== '' ? name.slice(0, 256) : undefined;
}

/** A page in a browser may have its own name lead to this machine; the name that it asks for gives it away. */
function isLocal({ headers: { host = '' } }: IncomingMessage): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}

/** In a form that the clients of every wire can show. */
function refuse(res: ServerResponse, status: number, reason: string): void {
  const error = { type: 'pawl_proxy', code: 'pawl_proxy', param: null, message: `pawl proxy: ${reason}` };
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
}
