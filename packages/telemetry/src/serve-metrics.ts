import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type MetricsServer = { readonly port: number; close(): Promise<void> };

/** The content type of the text format that every Prometheus version reads. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves `/metrics` on the loopback interface only; remote access requires a proxy that controls it. */
export async function serveMetrics(port: number, text: () => Promise<string>): Promise<MetricsServer> {
  const server = createServer(
    { requestTimeout: 10_000 },
    (request, response) => void handleMetricsRequest(request, response, text),
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

async function handleMetricsRequest(
  request: IncomingMessage,
  response: ServerResponse,
  text: () => Promise<string>,
): Promise<void> {
  const { status, type, body } = await buildMetricsResponse(request, text);
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

type MetricsResponse = { readonly status: number; readonly type: string; readonly body: string };

const createPlainResponse = (status: number, body: string): MetricsResponse => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
});

async function buildMetricsResponse(
  { method, url = '' }: IncomingMessage,
  text: () => Promise<string>,
): Promise<MetricsResponse> {
  if (url.split('?', 1)[0] !== '/metrics')
    return createPlainResponse(404, 'Not found. Metrics are at /metrics.\n');
  if (method !== 'GET' && method !== 'HEAD')
    return createPlainResponse(405, 'Method not allowed. Use GET or HEAD.\n');
  try {
    return { status: 200, type: prometheusContentType, body: await text() };
  } catch (error) {
    return createPlainResponse(
      500,
      `The metrics cannot be read: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}
