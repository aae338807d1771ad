import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type ChatHistoryMessage = {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
};

export type ScriptedCall = { readonly tool: string; readonly args: object };

/** A model over real HTTP that derives its next step from the history alone. */
export type ModelServer = {
  readonly url: string;
  /** The number of requests, and the problems in their histories. */
  readonly asked: { count: number; readonly problems: string[]; readonly results: string[] };
  /** Cuts off this many of the next replies in the middle. */
  cuts: number;
  close(): void;
};

export async function startModelServer(acts: readonly ScriptedCall[]): Promise<ModelServer> {
  const asked: ModelServer['asked'] = { count: 0, problems: [], results: [] };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const { messages } = JSON.parse(text) as { readonly messages: readonly ChatHistoryMessage[] };
      asked.count += 1;
      const problem = describeHistoryProblem(messages);
      if (problem !== null) {
        asked.problems.push(problem);
        response.writeHead(400, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ error: { message: problem } }));
      }
      const made = messages.flatMap(({ tool_calls: calls = [] }) => calls).length;
      asked.results.splice(0, Infinity, ...messages.filter(({ role }) => role === 'tool').map(toContentText));
      return sendScriptedReply(response, acts[made], made, self);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const self: ModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    cuts: 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return self;
}

/** Providers reject a history in which a call has no or two results, or a result has no call. */
function describeHistoryProblem(messages: readonly ChatHistoryMessage[]): string | null {
  let open: readonly string[] = [];
  for (const { role, tool_calls: calls = [], tool_call_id: answered } of messages) {
    if (role === 'tool') {
      if (answered === undefined || answered !== open[0]) return `a result for ${answered}, not ${open[0]}`;
      open = open.slice(1);
    } else if (open.length > 0) return `no result for ${open.join(', ')}`;
    if (role === 'assistant') open = calls.map(({ id }) => id);
  }
  return open.length > 0 ? `no result for ${open.join(', ')}` : null;
}

function toContentText({ content }: ChatHistoryMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function sendScriptedReply(
  response: ServerResponse,
  act: ScriptedCall | undefined,
  made: number,
  self: ModelServer,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish: string | null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const chunk = { id: `c${made}`, object: 'chat.completion.chunk', created: 1, model: 'm', choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  if (self.cuts > 0) {
    self.cuts -= 1;
    send({ role: 'assistant', content: 'Let me' }, null);
    setImmediate(() => response.destroy());
    return;
  }
  if (act === undefined) {
    send({ role: 'assistant', content: 'All of it is done.' }, null);
    send({}, 'stop');
  } else {
    const call = { name: act.tool, arguments: JSON.stringify(act.args) };
    // Simulates a provider that gives every call the same id.
    send(
      { role: 'assistant', tool_calls: [{ index: 0, id: 'call', type: 'function', function: call }] },
      null,
    );
    send({}, 'tool_calls');
  }
  response.end('data: [DONE]\n\n');
}
