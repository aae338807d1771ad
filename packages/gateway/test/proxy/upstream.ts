import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import type { JsonFields } from '../../src/json-fields.ts';

/** A request as it arrived upstream. */
export type UpstreamRequest = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: string;
  readonly body: JsonFields;
};

type UpstreamCall = { readonly tool: string; readonly args: object };

/** The reply of the model: text, a tool call or several. */
export type UpstreamReply =
  | { readonly text: string }
  | { readonly call: UpstreamCall }
  | { readonly calls: readonly UpstreamCall[] };

export type UpstreamServer = {
  readonly url: string;
  readonly requests: readonly UpstreamRequest[];
  close(): Promise<void>;
};

/** A local model server that supports the four wire formats, streamed or not. */
export async function startUpstream(
  respond: (
    request: UpstreamRequest,
    number: number,
  ) => UpstreamReply | ((req: IncomingMessage, res: ServerResponse) => void),
  /** Serves HTTPS with this key and certificate. */
  tls: { readonly key: string; readonly cert: string } | null = null,
): Promise<UpstreamServer> {
  const requests: UpstreamRequest[] = [];
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    void (async () => {
      const raw = (await buffer(req)).toString('utf8');
      const body = (raw.startsWith('{') ? JSON.parse(raw) : {}) as JsonFields;
      const request = { path: req.url ?? '', headers: req.headers, raw, body };
      requests.push(request);
      const reply = respond(request, requests.length);
      if (typeof reply === 'function') return reply(req, res);
      const { path } = request;
      const answer = toUpstreamAnswer(path, reply, requests.length);
      if (path.includes(':streamGenerateContent'))
        return path.includes('alt=sse')
          ? streamSseEvents(res, answer.events)
          : streamJsonArray(res, answer.events);
      if (body['stream'] === true) return streamSseEvents(res, answer.events);
      const text = Buffer.from(JSON.stringify(answer.whole));
      const isZipped = /gzip/.test(req.headers['accept-encoding'] ?? '');
      res.writeHead(200, {
        'content-type': 'application/json',
        ...(isZipped && { 'content-encoding': 'gzip' }),
      });
      return res.end(isZipped ? gzipSync(text) : text);
    })();
  };
  const server = tls === null ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type UpstreamSseEvent = { readonly name?: string; readonly data: object | '[DONE]' };
type UpstreamAnswer = { readonly whole: object; readonly events: readonly UpstreamSseEvent[] };

async function streamSseEvents(res: ServerResponse, events: readonly UpstreamSseEvent[]): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const { name, data } of events) {
    const text = `${name === undefined ? '' : `event: ${name}\n`}data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`;
    if (res.destroyed) return;
    res.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  res.end();
}

async function streamJsonArray(res: ServerResponse, events: readonly UpstreamSseEvent[]): Promise<void> {
  res.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
  for (const [index, { data }] of events.entries()) {
    if (res.destroyed) return;
    res.write(`${index === 0 ? '[' : ',\r\n'}${JSON.stringify(data, null, 2)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  res.end('\n]');
}

/** A reply as the wire formats need it; `number` makes its ids unique. */
type ReplyContent = {
  readonly text: string;
  readonly calls: readonly (UpstreamCall & { readonly id: string })[];
  readonly number: number;
};

/** Formats a reply in the wire format of the path. */
function toUpstreamAnswer(path: string, reply: UpstreamReply, number: number): UpstreamAnswer {
  const calls = 'calls' in reply ? reply.calls : 'call' in reply ? [reply.call] : [];
  const content = {
    text: 'text' in reply ? reply.text : '',
    calls: calls.map((call, index) => ({ ...call, id: index === 0 ? `${number}` : `${number}_${index}` })),
    number,
  };
  if (path.includes('/chat/')) return toChatAnswer(content);
  if (path.includes('/responses')) return toResponsesAnswer(content);
  if (path.includes('enerateContent')) return toGeminiAnswer(content);
  return toMessagesAnswer(content);
}

/** Returns whether a request lets the model call tools. */
export function offersTools({ body }: UpstreamRequest): boolean {
  const choice = JSON.stringify([body['tool_choice'] ?? null, body['toolConfig'] ?? null]);
  return body['tools'] !== undefined && !/none/i.test(choice);
}

/** Splits a text into chunks, as models stream it. */
function splitIntoPieces(text: string): readonly string[] {
  return text.match(/.{1,20}/gs) ?? [];
}

function toChatAnswer({ text, calls, number }: ReplyContent): UpstreamAnswer {
  const head = { id: `chatcmpl-${number}`, object: 'chat.completion', created: 1, model: 'tiny' };
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const toolCalls = calls.map(({ id, tool, args }) => ({
    id: `call_${id}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  const isText = calls.length === 0;
  const finish_reason = isText ? 'stop' : 'tool_calls';
  const message = isText
    ? { role: 'assistant', content: text }
    : { role: 'assistant', content: null, tool_calls: toolCalls };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const delta = (change: object, reason: string | null = null): UpstreamSseEvent => ({
    data: { ...chunk, choices: [{ index: 0, delta: change, finish_reason: reason }] },
  });
  return {
    whole: { ...head, choices: [{ index: 0, message, finish_reason }], usage },
    events: [
      delta({ role: 'assistant', content: '' }),
      ...splitIntoPieces(text).map((content) => delta({ content })),
      ...toolCalls.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
      delta({}, finish_reason),
      { data: { ...chunk, choices: [], usage } },
      { data: '[DONE]' },
    ],
  };
}

function toMessagesAnswer({ text, calls, number }: ReplyContent): UpstreamAnswer {
  const head = {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: 'tiny',
    stop_sequence: null,
  };
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 100, output_tokens: 10 };
  const textBlock = {
    block: { type: 'text', text },
    started: { type: 'text', text: '' },
    deltas: splitIntoPieces(text).map((piece): object => ({ type: 'text_delta', text: piece })),
  };
  const callBlocks = calls.map(({ id, tool, args }) => {
    const block = { type: 'tool_use', id: `toolu_${id}`, name: tool, input: args };
    const deltas: readonly object[] = [{ type: 'input_json_delta', partial_json: JSON.stringify(args) }];
    return { block, started: { ...block, input: {} }, deltas };
  });
  const blocks = calls.length > 0 ? callBlocks : [textBlock];
  return {
    whole: { ...head, content: blocks.map(({ block }) => block), stop_reason, usage },
    events: [
      {
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      ...blocks.flatMap(({ started, deltas }, index) => [
        { type: 'content_block_start', index, content_block: started },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ].map(toNamedEvent),
  };
}

function toNamedEvent(data: { readonly type: string }): UpstreamSseEvent {
  return { name: data.type, data };
}

function toResponsesAnswer({ text, calls, number }: ReplyContent): UpstreamAnswer {
  const part = { item_id: `msg_${number}`, output_index: 0, content_index: 0 };
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content };
  const callItems = calls.map(({ id, tool, args }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: tool,
    arguments: JSON.stringify(args),
    status: 'completed',
  }));
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const initial = {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1,
    model: 'tiny',
    status: 'in_progress',
    output: [],
  };
  const output = calls.length > 0 ? callItems : [message];
  const whole = { ...initial, status: 'completed', output, usage };
  const callEvents = callItems.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item },
    { type: 'response.output_item.done', output_index, item },
  ]);
  const messageEvents = [
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...part, part: { ...content[0], text: '' } },
    ...splitIntoPieces(text).map((delta) => ({ type: 'response.output_text.delta', ...part, delta })),
    { type: 'response.output_item.done', output_index: 0, item: message },
  ];
  const events = [
    { type: 'response.created', response: initial },
    ...(calls.length > 0 ? callEvents : messageEvents),
    { type: 'response.completed', response: whole },
  ].map((data, sequence_number) => ({ name: data.type, data: { ...data, sequence_number } }));
  return { whole, events };
}

function toGeminiAnswer({ text, calls, number }: ReplyContent): UpstreamAnswer {
  const callParts = calls.map(({ tool, args }, index) => ({
    functionCall: { name: tool, args },
    // Only the first of parallel calls has a signature.
    ...(index === 0 && { thoughtSignature: `signature ${number}` }),
  }));
  const parts = calls.length > 0 ? callParts : splitIntoPieces(text).map((piece) => ({ text: piece }));
  const head = { modelVersion: 'tiny', responseId: `response-${number}` };
  const usageMetadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 50,
    candidatesTokenCount: 6,
    thoughtsTokenCount: 4,
    totalTokenCount: 110,
  };
  const thought = { text: 'I think about it.', thought: true };
  return {
    whole: { ...head, candidates: toGeminiCandidates([thought, ...parts], true), usageMetadata },
    events: [thought, ...parts].map((part, index) => ({
      data: { ...head, candidates: toGeminiCandidates([part], index === parts.length), usageMetadata },
    })),
  };
}

function toGeminiCandidates(parts: readonly object[], isLast: boolean): readonly object[] {
  return [{ content: { role: 'model', parts }, ...(isLast && { finishReason: 'STOP' }), index: 0 }];
}
