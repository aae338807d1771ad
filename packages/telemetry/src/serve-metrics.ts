import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type MetricsServer = { readonly port: number; close(): Promise<void> };

/** The name of the text format that every version of Prometheus reads. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves metrics at `/metrics` on this machine alone; from elsewhere they are reached through whatever guards it. */
export async function serveMetrics(port: number, text: () => Promise<string>): Promise<MetricsServer> {
  const server = createServer(
    { requestTimeout: 10_000 },
    (request, response) => void answer(request, response, text),
  );
  server.maxConnections = 50;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  text: () => Promise<string>,
): Promise<void> {
  const { status, type, body } = await answerTo(request, text);
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

type Answer = { readonly status: number; readonly type: string; readonly body: string };

const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

async function answerTo({ method, url = '' }: IncomingMessage, text: () => Promise<string>): Promise<Answer> {
  if (url.split('?', 1)[0] !== '/metrics') return plain(404, 'There is only /metrics here.\n');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Metrics can only be read.\n');
  try {
    return { status: 200, type: prometheusType, body: await text() };
  } catch (error) {
    return plain(
      500,
      `The metrics cannot be read: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}
