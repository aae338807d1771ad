import { setTimeout as sleep } from 'node:timers/promises';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { createBoundedFetch, type StreamBreakHandler } from './bounded-fetch.ts';
import type { McpLimits, McpUrlServer } from './mcp-server.ts';
import { expandVariables } from './variables.ts';

/**
 * Creates an HTTP transport. Redirects are followed only within the same origin, so that headers never reach another
 * host.
 */
export function createHttpTransport(
  server: McpUrlServer,
  limits: McpLimits,
  onBroken: StreamBreakHandler,
): Transport {
  const headers = expandVariables(server.name, server.headers ?? {}, process.env);
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
    redirectPolicy: 'same-origin',
    fetch: createBoundedFetch(limits.messageBytes, onBroken),
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    // Let the server release the session, but do not wait for a server that is slow or gone.
    const termination = transport.terminateSession().catch(() => undefined);
    await Promise.race([termination, sleep(limits.closeMs, undefined, { ref: false })]);
    await close();
  };
  return transport;
}
