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

/** The reply of the model: text or a tool call. */
export type UpstreamReply =
  | { readonly text: string }
  | { readonly call: { readonly tool: string; readonly args: object } };

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

/** Formats a reply in the wire format of the path. */
function toUpstreamAnswer(path: string, reply: UpstreamReply, number: number): UpstreamAnswer {
  if (path.includes('/chat/')) return toChatAnswer(reply, number);
  if (path.includes('/responses')) return toResponsesAnswer(reply, number);
  if (path.includes('enerateContent')) return toGeminiAnswer(reply, number);
  return toMessagesAnswer(reply, number);
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

function toChatAnswer(reply: UpstreamReply, number: number): UpstreamAnswer {
  const call = 'call' in reply ? reply.call : null;
  const text = 'text' in reply ? reply.text : null;
  const head = { id: `chatcmpl-${number}`, object: 'chat.completion', created: 1, model: 'tiny' };
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const toolCall = call && {
    id: `call_${number}`,
    type: 'function',
    function: { name: call.tool, arguments: JSON.stringify(call.args) },
  };
  const finish_reason = call === null ? 'stop' : 'tool_calls';
  const message = { role: 'assistant', content: text, ...(toolCall && { tool_calls: [toolCall] }) };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const delta = (change: object, reason: string | null = null): UpstreamSseEvent => ({
    data: { ...chunk, choices: [{ index: 0, delta: change, finish_reason: reason }] },
  });
  return {
    whole: { ...head, choices: [{ index: 0, message, finish_reason }], usage },
    events: [
      delta({ role: 'assistant', content: '' }),
      ...splitIntoPieces(text ?? '').map((content) => delta({ content })),
      ...(toolCall ? [delta({ tool_calls: [{ index: 0, ...toolCall }] })] : []),
      delta({}, finish_reason),
      { data: { ...chunk, choices: [], usage } },
      { data: '[DONE]' },
    ],
  };
}

function toMessagesAnswer(reply: UpstreamReply, number: number): UpstreamAnswer {
  const call = 'call' in reply ? reply.call : null;
  const block = call
    ? { type: 'tool_use', id: `toolu_${number}`, name: call.tool, input: call.args }
    : { type: 'text', text: 'text' in reply ? reply.text : '' };
  const head = {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: 'tiny',
    stop_sequence: null,
  };
  const stop_reason = call ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 100, output_tokens: 10 };
  const started = call ? { ...block, input: {} } : { type: 'text', text: '' };
  const deltas = call
    ? [{ type: 'input_json_delta', partial_json: JSON.stringify(call.args) }]
    : splitIntoPieces('text' in reply ? reply.text : '').map((text) => ({ type: 'text_delta', text }));
  return {
    whole: { ...head, content: [block], stop_reason, usage },
    events: [
      {
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: started },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ].map(toNamedEvent),
  };
}

function toNamedEvent(data: { readonly type: string }): UpstreamSseEvent {
  return { name: data.type, data };
}

function toResponsesAnswer(reply: UpstreamReply, number: number): UpstreamAnswer {
  const call = 'call' in reply ? reply.call : null;
  const text = 'text' in reply ? reply.text : '';
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = call
    ? {
        type: 'function_call',
        id: `fc_${number}`,
        call_id: `call_${number}`,
        name: call.tool,
        arguments: JSON.stringify(call.args),
        status: 'completed',
      }
    : { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content };
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const initial = {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1,
    model: 'tiny',
    status: 'in_progress',
    output: [],
  };
  const whole = { ...initial, status: 'completed', output: [item], usage };
  const part = { item_id: `msg_${number}`, output_index: 0, content_index: 0 };
  const events = [
    { type: 'response.created', response: initial },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: call ? item : { ...item, status: 'in_progress', content: [] },
    },
    ...(call ? [] : [{ type: 'response.content_part.added', ...part, part: { ...content[0], text: '' } }]),
    ...splitIntoPieces(text).map((delta) => ({ type: 'response.output_text.delta', ...part, delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ].map((data, sequence_number) => ({ name: data.type, data: { ...data, sequence_number } }));
  return { whole, events };
}

function toGeminiAnswer(reply: UpstreamReply, number: number): UpstreamAnswer {
  const parts =
    'call' in reply
      ? [
          {
            functionCall: { name: reply.call.tool, args: reply.call.args },
            thoughtSignature: `signature ${number}`,
          },
        ]
      : splitIntoPieces(reply.text).map((text) => ({ text }));
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
