import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { McpUrlServer } from '../../src/mcp/mcp-server.ts';
import {
  callMcpTool,
  getMcpError,
  getCallFailure,
  getCallOutput,
  createMcpTestServer,
} from './mcp-test-server.ts';

const { connect } = createMcpTestServer();
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

type RpcRequest = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly _meta?: object };
};
type CallHandler = (request: RpcRequest, response: ServerResponse, incoming: IncomingMessage) => void;

async function startHttpServer(
  handle: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`;
}

/** A server that performs the handshake, lists one tool, and passes calls to the handler. */
async function startMcpServer(onCall: CallHandler, seen: IncomingMessage[] = []): Promise<McpUrlServer> {
  const url = await startHttpServer((incoming, response) => {
    seen.push(incoming);
    if (incoming.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    incoming.on('data', (piece: Buffer) => (body += piece.toString()));
    incoming.on('end', () => reply(JSON.parse(body) as RpcRequest, response, incoming));
  });
  const reply: CallHandler = (request, response, incoming) => {
    const { method } = request;
    if (method === 'initialize')
      return sendJsonResult(request, response, {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'here', version: '1' },
      });
    if (method === 'tools/list')
      return sendJsonResult(request, response, {
        tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
      });
    if (method === 'tools/call') return onCall(request, response, incoming);
    response.writeHead(202).end();
  };
  return { name: 'http', url };
}

function sendJsonResult({ id }: RpcRequest, response: ServerResponse, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const createTextContent = (text: string): object => ({ content: [{ type: 'text', text }] });

describe('a server over HTTP', () => {
  it('receives the configured headers with expanded variables', async () => {
    vi.stubEnv('PAWL_TEST_TOKEN', 'hush');
    const seen: IncomingMessage[] = [];
    const server = await startMcpServer(
      (request, response) => sendJsonResult(request, response, createTextContent('hello')),
      seen,
    );
    const connection = await connect({ ...server, headers: { authorization: 'Bearer ${PAWL_TEST_TOKEN}' } });
    vi.unstubAllEnvs();
    expect(await getCallOutput(callMcpTool(connection, 'http__echo'))).toBe('hello');
    expect(seen.length).toBeGreaterThan(2);
    for (const { headers } of seen) expect(headers.authorization).toBe('Bearer hush');
  });

  it('receives a session termination when the connection is closed', async () => {
    const seen: IncomingMessage[] = [];
    const server = await startMcpServer(
      (request, response) => sendJsonResult(request, response, createTextContent('hello')),
      seen,
    );
    await (await connect(server)).close();
    expect(seen.at(-1)?.method).toBe('DELETE');
  });

  it.each([
    [401, 'responded with HTTP 401. Check its headers.'],
    [404, 'responded with HTTP 404. Check its URL.'],
    [500, 'responded with HTTP 500. Check its URL.'],
  ])('that responds with %i is reported with the status', async (status, problem) => {
    const url = await startHttpServer((_, response) =>
      response.writeHead(status).end('<html>no\u001b</html>'),
    );
    expect((await getMcpError(connect({ name: 'http', url }))).message).toBe(
      `The MCP server http ${problem}`,
    );
  });

  it('that cannot be reached is reported', async () => {
    const error = await getMcpError(connect({ name: 'http', url: 'http://127.0.0.1:9/mcp' }));
    expect(error.code).toBe('cannot-start');
    expect(error.message).toMatch(
      /^The MCP server http cannot be reached \(.+\)\. Check that it is running and that its URL is correct\.$/,
    );
  });

  it('that sends a web page instead of messages is rejected', async () => {
    const url = await startHttpServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
    );
    expect((await getMcpError(connect({ name: 'http', url }))).message).toContain(
      'does not follow the protocol',
    );
  });

  it('that redirects to another origin is not followed, and the other origin gets no header', async () => {
    const elsewhere: IncomingMessage[] = [];
    const other = await startHttpServer((incoming, response) => {
      elsewhere.push(incoming);
      response.end();
    });
    const url = await startHttpServer((_, response) => response.writeHead(307, { location: other }).end());
    const error = await getMcpError(connect({ name: 'http', url, headers: { authorization: 'hush' } }));
    expect(error.code).toBe('cannot-start');
    expect(elsewhere).toEqual([]);
  });

  it('that never responds times out', async () => {
    const url = await startHttpServer(() => undefined);
    const error = await getMcpError(connect({ name: 'http', url, startMs: 200 }));
    expect(error.code).toBe('too-slow');
    const connection = await connect(await startMcpServer(() => undefined), { limits: { callMs: 200 } });
    expect(await getCallFailure(callMcpTool(connection, 'http__echo'))).toMatch(/^timeout: .* within 200 ms/);
  });

  it('cannot exceed the message size limit, and can be called again', async () => {
    const answers: CallHandler[] = [
      (request, response) => sendJsonResult(request, response, createTextContent('x'.repeat(2_000_000))),
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${'x'.repeat(2_000_000)}`);
      },
      (request, response) => sendJsonResult(request, response, createTextContent('small')),
    ];
    const server = await startMcpServer((...each) => answers.shift()?.(...each));
    const connection = await connect(server, { limits: { messageBytes: 1_000_000, backoffMs: 1 } });
    for (let count = 0; count < 2; count += 1)
      expect(await getCallFailure(callMcpTool(connection, 'http__echo'))).toContain(
        'It sent a message of more than 1000000 bytes.',
      );
    expect(await getCallOutput(callMcpTool(connection, 'http__echo'))).toBe('small');
  });

  it('cannot overflow the stack', async () => {
    const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const server = await startMcpServer(({ id }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${nested}}}`);
    });
    expect(await callMcpTool(await connect(server), 'http__echo')).toEqual({
      ok: true,
      output: '[structured content nested too deeply to show]',
    });
  });

  it('may send many events in one stream', async () => {
    const server = await startMcpServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 100; count += 1) {
        const message = {
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'info', data: 'x'.repeat(500) },
        };
        response.write(`data: ${JSON.stringify(message)}\r\n\r\n`);
      }
      response.write('data: {"not json\n\ndata: {"jsonrpc":"2.0"}\n\n');
      response.end(
        `data: ${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: createTextContent('at last') })}\n\n`,
      );
    });
    const connection = await connect(server, { limits: { messageBytes: 2_000 } });
    expect(await getCallOutput(callMcpTool(connection, 'http__echo'))).toBe('at last');
  });

  it('fails the call when the connection is lost during it', async () => {
    const server = await startMcpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    const connection = await connect(server);
    expect(await getCallFailure(callMcpTool(connection, 'http__echo'))).toMatch(
      /^failed: The MCP server http disconnected during this call\./,
    );
  });

  it('that dropped the session is reconnected, and the unexecuted call is retried', async () => {
    let count = 0;
    const server = await startMcpServer((request, response) => {
      count += 1;
      if (count === 1) response.writeHead(404).end();
      else sendJsonResult(request, response, createTextContent('again'));
    });
    expect(await getCallOutput(callMcpTool(await connect(server), 'http__echo'))).toBe('again');
    const never = await startMcpServer((_, response) => response.writeHead(404).end());
    expect(await getCallFailure(callMcpTool(await connect(never), 'http__echo'))).toContain(
      'responded with HTTP 404',
    );
  });
});
