import {
  Client,
  ProtocolError,
  type ClientOptions,
  type Transport,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { getTraceContext } from '../platform/trace-context.ts';
import { createHttpTransport } from './http-transport.ts';
import { McpError, type McpLimits, type McpServer } from './mcp-server.ts';
import { sanitizeServerText, type McpCallResult } from './result-text.ts';
import { createStdioTransport } from './stdio-transport.ts';
import { buildServerEnvironment } from './variables.ts';
import { getErrorMessage } from '../text/one-line.ts';

/** One connection to a server. A lost connection is never repaired; open a new link instead. */
export type McpLink = {
  /** Aborted once the connection is lost; the reason says why. */
  readonly lost: AbortSignal;
  list(): Promise<readonly unknown[]>;
  call(
    tool: string,
    args: { readonly [key: string]: unknown },
    options: McpCallOptions,
  ): Promise<McpCallResult>;
  close(): Promise<void>;
};

export type McpCallOptions = {
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
  /** Closes the link, also while it is being opened. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
};

/** Starts or connects to a server and performs the handshake. Throws an `McpError` on failure. */
export async function openMcpLink(server: McpServer, options: LinkOptions): Promise<McpLink> {
  try {
    return await performHandshake(server, options, 'legacy');
  } catch (error) {
    // Servers of the newest protocol may not support the legacy handshake; all others support only that one.
    if (!(error instanceof ProtocolError)) throw toMcpError(server, error);
    return await performHandshake(server, options, { pin: '2026-07-28' }).catch(() => {
      throw toMcpError(server, error);
    });
  }
}

// Use our own schemas: the library's `callTool` would compile schemas written by servers, and a regular expression in
// one of them could block the process for hours.
const toolsPageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const callResultSchema = z.looseObject({});

type NegotiationMode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

async function performHandshake(
  server: McpServer,
  { limits, signal: closeSignal, onToolsChanged }: LinkOptions,
  mode: NegotiationMode,
): Promise<McpLink> {
  const lost = new AbortController();
  const disconnect = (reason: string): void => {
    if (!lost.signal.aborted) lost.abort(new ConnectionLostError(reason));
  };
  const stop = (): void => disconnect('The connection was closed.');
  if (closeSignal.aborted) stop();
  closeSignal.addEventListener('abort', stop, { once: true });
  lost.signal.addEventListener('abort', () => closeSignal.removeEventListener('abort', stop), { once: true });
  const transport = createTransport(server, limits, disconnect);
  const client = new Client(
    { name: 'pawl', version: manifest.version },
    {
      // A server may request nothing: no sampling, no user input, no roots.
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
      listServerTools(client, limits, { timeout: startMs, signal: lost.signal }).catch((error: unknown) => {
        throw lost.signal.aborted ? lost.signal.reason : error;
      }),
    call: (tool, args, { signal, callMs, onProgress }) =>
      client.request(
        { method: 'tools/call', params: { name: tool, arguments: args, ...buildTraceMeta() } },
        callResultSchema,
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

/** Returns the trace context in the request metadata that MCP defines for it. */
function buildTraceMeta(): { readonly _meta?: { readonly traceparent: string } } {
  const context = getTraceContext();
  return context === undefined ? {} : { _meta: { traceparent: context.traceparent } };
}

function createTransport(
  server: McpServer,
  limits: McpLimits,
  disconnect: (reason: string) => void,
): Transport {
  if ('url' in server) return createHttpTransport(server, limits, disconnect);
  const { command, args = [], cwd } = server;
  const env = buildServerEnvironment(server.name, server.env ?? {}, process.env);
  return createStdioTransport({ command, args, env, cwd }, limits, disconnect);
}

type ListToolsOptions = { readonly timeout: number; readonly signal: AbortSignal };

/** Reads all pages of the tool list, up to the limits. */
async function listServerTools(
  client: Client,
  limits: McpLimits,
  options: ListToolsOptions,
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < limits.pages && tools.length <= limits.tools; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, toolsPageSchema, options);
    // One more than the limit, so that the caller can detect that there are more.
    tools.push(...result.tools.slice(0, limits.tools + 1));
    if (result.nextCursor === undefined || result.nextCursor === cursor) break;
    cursor = result.nextCursor;
  }
  return tools;
}

/** The connection to the server was lost; the message says why. */
class ConnectionLostError extends Error {
  override readonly name = 'LostError';
}

/** Converts an error into an `McpError` that explains the problem and the fix. */
export function toMcpError(server: McpServer, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const subject = `The MCP server ${server.name}`;
  if (error instanceof ConnectionLostError)
    return new McpError('cannot-start', `${subject} did not start. ${error.message}`, error);
  if (error instanceof SdkHttpError) {
    const advice = error.status === 401 || error.status === 403 ? 'Check its headers.' : 'Check its URL.';
    return new McpError('cannot-start', `${subject} responded with HTTP ${error.status}. ${advice}`, error);
  }
  if (isRequestTimeout(error)) {
    const advice = 'Check that it is an MCP server, or increase startMs.';
    return new McpError('too-slow', `${subject} started but did not respond in time. ${advice}`, error);
  }
  if (error instanceof TypeError && 'url' in server) {
    const reason = error.cause === undefined ? error.message : getErrorMessage(error.cause);
    return new McpError(
      'cannot-start',
      `${subject} cannot be reached (${formatServerText(reason)}). Check that it is running and that its URL is correct.`,
      error,
    );
  }
  const problem = error instanceof ProtocolError ? 'rejected the connection' : 'does not follow the protocol';
  return new McpError(
    'bad-answer',
    `${subject} ${problem}: ${formatServerText(getErrorMessage(error))}`,
    error,
  );
}

export function isRequestTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** Sanitizes an error message, because the server wrote it. */
export function formatServerText(message: string): string {
  return sanitizeServerText(message, 1_000);
}
