import { setTimeout as sleep } from 'node:timers/promises';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { boundedFetch, type OnBroken } from './bounded-fetch.ts';
import type { McpLimits, McpUrlServer } from './mcp-server.ts';
import { filledIn } from './variables.ts';

/** Talks to a server by its address. Redirects are followed within its own origin only, so no header goes elsewhere. */
export function createHttpTransport(server: McpUrlServer, limits: McpLimits, onBroken: OnBroken): Transport {
  const headers = filledIn(server.name, server.headers ?? {}, process.env);
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
    redirectPolicy: 'same-origin',
    fetch: boundedFetch(limits.messageBytes, onBroken),
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    // So that it need not keep what it knows of us; one that is gone or slow is not waited for.
    const goodbye = transport.terminateSession().catch(() => undefined);
    await Promise.race([goodbye, sleep(limits.closeMs, undefined, { ref: false })]);
    await close();
  };
  return transport;
}
