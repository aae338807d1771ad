import { Client, ProtocolError, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { traceContext } from '../trace-context.ts';
import { createHttpTransport } from './http-transport.ts';
import { explained, LostError } from './link-error.ts';
import type { McpLimits, McpServer } from './mcp-server.ts';
import type { CallAnswer } from './result-text.ts';
import { createStdioTransport } from './stdio-transport.ts';
import { environmentFor } from './variables.ts';

/** One connection to a server, from its start to its end. It is never mended: who needs another opens another. */
export type Link = {
  /** Aborted once the server is gone; the reason says how it ended. */
  readonly lost: AbortSignal;
  list(): Promise<readonly unknown[]>;
  call(tool: string, args: { readonly [key: string]: unknown }, calling: Calling): Promise<CallAnswer>;
  close(): Promise<void>;
};

export type Calling = {
  readonly signal: AbortSignal;
  readonly callMs: number;
  readonly onProgress: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
};

export type LinkOptions = {
  readonly limits: McpLimits;
  /** Ends it, also while it is being opened. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
};

/** Starts or reaches a server and shakes hands with it. Throws one `McpError` if that cannot be done. */
export async function openLink(server: McpServer, options: LinkOptions): Promise<Link> {
  try {
    return await shakeHands(server, options, 'legacy');
  } catch (error) {
    // Servers of the newest protocol may not know the old way to begin; all others know nothing else.
    if (!(error instanceof ProtocolError)) throw explained(server, error);
    return await shakeHands(server, options, { pin: '2026-07-28' }).catch(() => {
      throw explained(server, error);
    });
  }
}

// Only requests with schemas of our own: the library's `callTool` would compile the ones that servers write, and a pattern
// in one of them could stop us for hours.
const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const callAnswer = z.looseObject({});

type Mode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

async function shakeHands(
  server: McpServer,
  { limits, signal: ending, onToolsChanged }: LinkOptions,
  mode: Mode,
): Promise<Link> {
  const lost = new AbortController();
  const lose = (reason: string): void => {
    if (!lost.signal.aborted) lost.abort(new LostError(reason));
  };
  const stop = (): void => lose('It was closed.');
  if (ending.aborted) stop();
  ending.addEventListener('abort', stop, { once: true });
  lost.signal.addEventListener('abort', () => ending.removeEventListener('abort', stop), { once: true });
  const transport = transportFor(server, limits, lose);
  const client = new Client(
    { name: 'pawl', version: manifest.version },
    {
      // A server may ask us for nothing: not for the model, not for the user, not for folders.
      capabilities: {},
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode },
    },
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => onToolsChanged());
  const startMs = server.startMs ?? limits.startMs;
  try {
    await client.connect(transport, { timeout: startMs, signal: lost.signal });
  } catch (error) {
    const reason: unknown = lost.signal.aborted ? lost.signal.reason : error;
    await transport.close().catch(() => undefined);
    throw reason;
  }
  return {
    lost: lost.signal,
    list: () =>
      listTools(client, limits, { timeout: startMs, signal: lost.signal }).catch((error: unknown) => {
        throw lost.signal.aborted ? lost.signal.reason : error;
      }),
    call: (tool, args, { signal, callMs, onProgress }) =>
      client.request(
        { method: 'tools/call', params: { name: tool, arguments: args, ...traceMeta() } },
        callAnswer,
        {
          timeout: callMs,
          signal: AbortSignal.any([signal, lost.signal]),
          onprogress: ({ progress, total, message }) =>
            onProgress({
              progress,
              ...(total !== undefined && { total }),
              ...(message !== undefined && { message }),
            }),
        },
      ),
    async close() {
      stop();
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
    },
  };
}

/** Where in a trace a call is, under the names that MCP has for it. */
function traceMeta(): { readonly _meta?: { readonly traceparent: string } } {
  const context = traceContext();
  return context === undefined ? {} : { _meta: { traceparent: context.traceparent } };
}

function transportFor(server: McpServer, limits: McpLimits, lose: (reason: string) => void): Transport {
  if ('url' in server) return createHttpTransport(server, limits, lose);
  const { command, args = [], cwd } = server;
  const env = environmentFor(server.name, server.env ?? {}, process.env);
  return createStdioTransport({ command, args, env, cwd }, limits, lose);
}

type Request = { readonly timeout: number; readonly signal: AbortSignal };

/** All pages of the list, as far as anybody wants to read them. */
async function listTools(client: Client, limits: McpLimits, request: Request): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < limits.pages && tools.length <= limits.tools; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const read = await client.request({ method: 'tools/list', params }, toolsPage, request);
    // One more than is taken, so that whoever reads them can tell that there were more.
    tools.push(...read.tools.slice(0, limits.tools + 1));
    if (read.nextCursor === undefined || read.nextCursor === cursor) break;
    cursor = read.nextCursor;
  }
  return tools;
}
