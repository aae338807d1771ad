import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The model's response to a request: text, one call, or a context overflow. */
export type ScriptedSay = string | { readonly tool: string; readonly args: object } | typeof tooLongReply;

export const tooLongReply = { tooLong: true } as const;

export type ChatRequestBody = {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly unknown[];
};

/** A local server that streams scripted replies in the chat completions format. */
export type OpenAiServer = {
  readonly url: string;
  readonly asked: ChatRequestBody[];
  says: (request: number, body: ChatRequestBody) => ScriptedSay;
  /** Cuts the connection in the middle of the reply to these requests. */
  cuts: ReadonlySet<number>;
  close(): void;
};

export async function startOpenAiServer(): Promise<OpenAiServer> {
  const asked: ChatRequestBody[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      count += 1;
      const body = JSON.parse(text) as ChatRequestBody;
      if (self.cuts.has(count)) return sendTruncatedReply(response);
      asked.push(body);
      const say = self.says(asked.length, body);
      if (typeof say === 'object' && 'tooLong' in say) return sendContextOverflow(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const lines = toStreamChunks(say, asked.length);
      response.end([...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join(''));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const self: OpenAiServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    says: () => '',
    cuts: new Set(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return self;
}

function sendContextOverflow(response: ServerResponse): void {
  const message = "This model's maximum context length is 8192 tokens.";
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, code: 'context_length_exceeded' } }));
}

function sendTruncatedReply(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${toChatChunk({ role: 'assistant', content: 'Let me' }, null, 0)}\n\n`, () =>
    response.destroy(),
  );
}

function toStreamChunks(say: Exclude<ScriptedSay, typeof tooLongReply>, id: number): readonly string[] {
  if (typeof say === 'string') {
    return [toChatChunk({ role: 'assistant', content: say }, null, id), toChatChunk({}, 'stop', id)];
  }
  const call = {
    index: 0,
    id: `call_${id}`,
    type: 'function',
    function: { name: say.tool, arguments: JSON.stringify(say.args) },
  };
  return [
    toChatChunk({ role: 'assistant', tool_calls: [call] }, null, id),
    toChatChunk({}, 'tool_calls', id),
  ];
}

function toChatChunk(delta: object, finish: string | null, id: number): string {
  return JSON.stringify({
    id: `c${id}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish !== null && { usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1_000 } }),
  });
}
