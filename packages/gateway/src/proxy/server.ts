import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Verdict, Json } from '@pawl/governor';
import type { GovernOptions } from '@pawl/adapters/messages';
import { toJsonFields, type JsonFields } from '../json-fields.ts';
import {
  createConversationRegistry,
  type ConversationRegistry,
  type ConversationRequest,
} from './conversations.ts';
import {
  createForwarder,
  sendFormattedReply,
  conversationHeader,
  type ForwardOptions,
  type ReplyListener,
} from './forward.ts';
import { createRequestGovernor, isAgentRequest, type GovernedRequest } from './governed-request.ts';
import type { ConversationRecorder } from './recording.ts';
import { createRequestGuard } from './request-guard.ts';
import type { FormattedReply, ProxyReply, WireFormat } from './wire-format.ts';
import { anthropicWireFormat } from './anthropic.ts';
import { geminiWireFormat } from './gemini.ts';
import { openaiChatWireFormat } from './openai-chat.ts';
import { openaiResponsesWireFormat } from './openai-responses.ts';

/** A notification for the operator of the proxy. */
export type ProxyNote =
  | { readonly type: 'found'; readonly verdict: Verdict; readonly isFinish: boolean }
  | { readonly type: 'cut' }
  /** The last reply of a model was not an answer. */
  | { readonly type: 'replaced' }
  | { readonly type: 'over'; readonly reason: string };

export type ProxyOptions = {
  readonly upstream: URL;
  readonly govern: GovernOptions;
  /** Tools by which agents end their own work, besides the known ones. */
  readonly completionTools?: readonly string[];
  /** Origins whose requests are accepted, besides those of this machine and of applications. */
  readonly allowedOrigins?: readonly string[];
  /** Null to record nothing. */
  readonly recorder: ConversationRecorder | null;
  readonly onNote: (note: ProxyNote) => void;
  readonly now: () => number;
};

export type ProxyServer = {
  /** Not listening yet. */
  readonly server: Server;
  /** Resolves when every reply is fully processed, because a client may receive it before it is recorded. */
  readonly waitUntilIdle: () => Promise<void>;
};

export function createProxy(options: ProxyOptions): ProxyServer {
  const { upstream } = options;
  const conversations = createConversationRegistry();
  const govern = createRequestGovernor(conversations, options);
  const findRejection = createRequestGuard(options);
  const forward = createForwarder(upstream);

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const rejection = findRejection(req, findWireFormat(req.method, req.url ?? '/') !== null);
    if (rejection !== null) return sendProxyError(req, res, rejection.status, rejection.reason);
    const wire = detectWireFormat(req);
    const bytes = wire === null ? null : await collectBody(req);
    if (wire === null || bytes === null) return forward(req, res, passThroughOptions);
    const body = parseRequestBody(bytes);
    const governed = body === null ? null : govern(wire, body, getConversationName(req));
    if (body === null || governed === null) return forward(req, res, { ...passThroughOptions, body: bytes });
    const context = { wire, body, url: req.url ?? '/', conversations, options };
    if (governed.kind === 'over') return sendProxyReply(res, governed, context);
    return forward(req, res, applyDecision(governed, bytes, context));
  };

  const inFlight = new Set<Promise<void>>();
  const server = createServer((req, res) => {
    const serving = serve(req, res).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (res.headersSent) res.destroy();
      else if (error instanceof Error && 'code' in error)
        sendProxyError(req, res, 502, `${upstream.origin} does not answer: ${reason}`);
      else sendProxyError(req, res, 500, reason);
    });
    inFlight.add(serving);
    void serving.then(() => inFlight.delete(serving));
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.on('close', () => forward.close());
  return {
    server,
    waitUntilIdle: async () => void (await Promise.all(inFlight)),
  };
}

/** Longer than clients keep idle connections for reuse. */
const keepAliveTimeoutMs = 65_000;

const passThroughOptions: ForwardOptions = { body: null, isChanged: false, isStream: false, listener: null };

type ReplyContext = {
  readonly wire: WireFormat;
  readonly body: JsonFields;
  readonly url: string;
  readonly conversations: ConversationRegistry;
  readonly options: ProxyOptions;
};

/** Answers an agent that continues after its last answer. */
function sendProxyReply(
  res: ServerResponse,
  { request, reason, reply }: Extract<GovernedRequest, { readonly kind: 'over' }>,
  context: ReplyContext,
): void {
  // Reported once, because a client may repeat its request in a tight loop.
  if (!request.conversation.isClosed) context.options.onNote({ type: 'over', reason });
  request.conversation.isClosed = true;
  sendFormattedReply(res, formatProxyReply(request, reply, context));
}

function formatProxyReply(
  request: ConversationRequest,
  reply: Pick<ProxyReply, 'text' | 'call'>,
  { wire, body, url, conversations, options: { now } }: ReplyContext,
): FormattedReply {
  const identity = {
    id: randomUUID().replaceAll('-', ''),
    model: wire.getModel(body, url),
    createdAt: now(),
  };
  const formatted = wire.formatReply({ ...reply, ...identity }, body, url);
  conversations.recordProxyReply(request, formatted.reference);
  return formatted;
}

/** Reports the verdict on a request and returns how to forward it. */
function applyDecision(
  governed: Extract<GovernedRequest, { readonly kind: 'sent' }>,
  bytes: Buffer,
  context: ReplyContext,
): ForwardOptions {
  const { request, verdict, isFinish, change } = governed;
  request.conversation.isClosed = false;
  if (verdict !== null) context.options.onNote({ type: 'found', verdict, isFinish });
  return {
    body: change === null ? bytes : rewriteRequestBody(bytes, change),
    isChanged: change !== null,
    isStream: context.wire.isStreamed(context.body, context.url),
    listener: createReplyListener(governed, context),
  };
}

/** Records the request at once, and the reply when it is complete. */
function createReplyListener(
  { request, verdict, isFinish, review }: Extract<GovernedRequest, { readonly kind: 'sent' }>,
  context: ReplyContext,
): ReplyListener {
  const { wire, body, url, conversations, options } = context;
  const { recorder, onNote, now } = options;
  const { conversation, messages } = request;
  const model = wire.getModel(body, url);
  const record = (allMessages: readonly JsonFields[]): void => {
    if (!isAgentRequest(request, body)) return;
    recorder?.record(
      conversation,
      { messages: allMessages, usages: conversation.usages, verdict, at: now() },
      model,
    );
  };
  record(messages);
  // A reply with tool calls is recorded with their results.
  const recordAnswer = (text: string): void => record([...messages, { role: 'assistant', content: text }]);
  return {
    wire,
    onCut: () => onNote({ type: 'cut' }),
    onReply(reply) {
      conversations.recordReply(request, reply);
      if (reply.calls.length === 0) recordAnswer(reply.text);
    },
    review: isFinish
      ? (reply) => {
          const replacement = review(reply);
          if (replacement === null) return null;
          onNote({ type: 'replaced' });
          recordAnswer(replacement.text);
          return formatProxyReply(request, replacement, context);
        }
      : null,
  };
}

/** Returns the wire format of a readable request; compressed ones are not readable. */
function detectWireFormat({ method, url = '/', headers }: IncomingMessage): WireFormat | null {
  return headers['content-encoding'] === undefined ? findWireFormat(method, url) : null;
}

function getConversationName({ headers }: IncomingMessage): string | undefined {
  const name = headers[conversationHeader];
  return typeof name === 'string' && name !== '' ? name.slice(0, 256) : undefined;
}

/** Sends an error in the form of the request's wire format. */
function sendProxyError(req: IncomingMessage, res: ServerResponse, status: number, reason: string): void {
  const { formatError } = findWireFormat(req.method, req.url ?? '/') ?? openaiChatWireFormat;
  const error = formatError(status, `pawl proxy: ${reason}`);
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

const wireFormats: readonly WireFormat[] = [
  openaiChatWireFormat,
  openaiResponsesWireFormat,
  anthropicWireFormat,
  geminiWireFormat,
];

/** Returns the wire format of a request; null for other routes. */
function findWireFormat(method: string | undefined, url: string): WireFormat | null {
  if (method !== 'POST') return null;
  const [path = ''] = url.split('?', 1);
  return wireFormats.find(({ matchesPath }) => matchesPath(path)) ?? null;
}

/** Parses a request body; null if it is not a JSON object. */
function parseRequestBody(bytes: Buffer): JsonFields | null {
  return parseBodyFields(bytes);
}

/**
 * Applies a change to the body. Numbers beyond JavaScript's precision keep their source text, so that everything else
 * stays identical. This is slower than plain parsing, so only changed requests are rewritten.
 */
function rewriteRequestBody(bytes: Buffer, change: (body: JsonFields) => JsonFields): Buffer {
  return Buffer.from(JSON.stringify(change(parseBodyFields(bytes, preserveLargeNumbers) ?? {})));
}

function parseBodyFields(bytes: Buffer, reviver?: JsonReviver): JsonFields | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return toJsonFields(JSON.parse(text, reviver) as Json);
  } catch {
    return null;
  }
}

type JsonReviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

function preserveLargeNumbers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  // Decimals have several equivalent spellings; only integers that would lose digits need their source text.
  return /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? rawJson(source) : value;
}

/** Newer than TypeScript's lib types. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };

/** Maximum body length; a longer body is forwarded unread. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Reads a request body; null if it is too long, and then the request can still be read from the start. */
export function collectBody(req: IncomingMessage, max: number = maxBodyBytes): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (body: Buffer | null): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(body);
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= max) return;
      req.pause();
      finish(null);
      req.unshift(Buffer.concat(chunks));
    };
    const onEnd = (): void => finish(Buffer.concat(chunks));
    const onClose = (): void => reject(new Error('The client disconnected before its request was complete.'));
    req.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}
