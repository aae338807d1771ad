import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type ReceivedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
};

export type TestServer = {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /**
   * Resolves when the other side has closed the connection before the answer was complete; at once if it never made one, as
   * on a busy machine under a short limit.
   */
  readonly hungUp: () => Promise<void>;
};

export type RequestHandler = (response: ServerResponse, received: ReceivedRequest, index: number) => unknown;

/** A server on this machine that answers with what the test gives it; it is gone when the test is over. */
export async function startTestServer(handler: RequestHandler): Promise<TestServer> {
  const received: ReceivedRequest[] = [];
  const hungUp = Promise.withResolvers<void>();
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    response.on('close', () => {
      if (!response.writableFinished) hungUp.resolve();
    });
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request).catch(() => null);
    // A client that disconnects before the request is complete gets no response.
    if (sent === null) return;
    const body: unknown = sent === '' ? null : JSON.parse(sent);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body };
    received.push(one);
    await handler(response, one, received.length - 1);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    hungUp: () => (requests === 0 ? Promise.resolve() : hungUp.promise),
  };
}

/** A port that nothing listens at. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export const streamHeaders = { 'content-type': 'text/event-stream' };

/** A whole stream of server-sent events. */
export function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, streamHeaders);
  response.end(events.join(''));
}

/** An event as OpenAI and Google send it, or with its name as Anthropic does. */
export function formatServerEvent(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`;
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
