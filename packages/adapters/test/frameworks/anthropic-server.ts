import type { ServerResponse } from 'node:http';
import { formatServerEvent, sendEvents, startTestServer } from '../../../../scripts/testing/test-server.ts';

export type AnthropicRequest = {
  readonly model: string;
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
};

export type AnthropicBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

export type AnthropicServer = { readonly url: string; readonly requests: readonly AnthropicRequest[] };

/** A model that answers over the streaming protocol of Anthropic's Messages API, on this machine. */
export async function startAnthropicServer(
  reply: (request: AnthropicRequest) => readonly AnthropicBlock[],
): Promise<AnthropicServer> {
  const requests: AnthropicRequest[] = [];
  const { url } = await startTestServer((response, request) => {
    if (!/^\/v1\/messages(?:\?|$)/.test(request.url) || request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}');
      return;
    }
    const body = request.body as AnthropicRequest;
    // The program also asks for titles, without tools.
    if ((body.tools ?? []).length === 0) {
      sendReply(response, body.model, [{ type: 'text', text: 'Title' }]);
      return;
    }
    requests.push(body);
    sendReply(response, body.model, reply(body));
  });
  return { url, requests };
}

function sendReply(response: ServerResponse, model: string, blocks: readonly AnthropicBlock[]): void {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  const hasCalls = blocks.some(({ type }) => type === 'tool_use');
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: toEmptyBlock(block) },
      { type: 'content_block_delta', index, delta: toBlockDelta(block) },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: hasCalls ? 'tool_use' : 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  sendEvents(
    response,
    events.map((event) => formatServerEvent(event, event.type)),
  );
}

function toEmptyBlock(block: AnthropicBlock): object {
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

function toBlockDelta(block: AnthropicBlock): object {
  return block.type === 'text'
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
}
