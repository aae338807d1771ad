import { createHash } from 'node:crypto';

type McpServerBase = {
  /** Prefix of its tool names: letters and digits, with single `-` or `_` between them. */
  readonly name: string;
  /** Timeout for starting the server and listing its tools. */
  readonly startMs?: number;
  /** Timeout of one call. */
  readonly callMs?: number;
};

/** A server that is started as a child process and uses standard input and output. */
export type McpCommandServer = McpServerBase & {
  readonly command: string;
  readonly args?: readonly string[];
  /** The only variables it sees besides a few harmless ones. `${NAME}` expands to a variable of our environment. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
};

/** A remote server that uses streamable HTTP. */
export type McpUrlServer = McpServerBase & {
  readonly url: string;
  /** `${NAME}` expands to a variable of our environment. */
  readonly headers?: { readonly [name: string]: string };
};

export type McpServer = McpCommandServer | McpUrlServer;

/** Limits that protect the agent from a misbehaving server. */
export type McpLimits = {
  readonly startMs: number;
  readonly callMs: number;
  /** How long the server may take to exit after each request to do so. */
  readonly closeMs: number;
  /** Maximum size of one message; a longer one is replaced with an error response. */
  readonly messageBytes: number;
  /** The server is killed if one message exceeds `floodBytes` or its invalid output exceeds `garbageBytes`. */
  readonly floodBytes: number;
  readonly garbageBytes: number;
  /** Maximum size of unsent messages, for a server that does not read its input. */
  readonly unsentBytes: number;
  /** Maximum size of the retained tail of standard error. */
  readonly stderrBytes: number;
  readonly tools: number;
  readonly pages: number;
  readonly descriptionChars: number;
  readonly schemaChars: number;
  readonly schemaDepth: number;
  readonly resultChars: number;
  /** Maximum number of progress reports per call, and the minimum interval between them. */
  readonly reports: number;
  readonly reportGapMs: number;
  /** Maximum number of consecutive restarts without a completed call. */
  readonly restarts: number;
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
};

export const mcpLimits: McpLimits = {
  startMs: 30_000,
  callMs: 120_000,
  closeMs: 1_000,
  messageBytes: 8 * 2 ** 20,
  floodBytes: 64 * 2 ** 20,
  garbageBytes: 2 ** 20,
  unsentBytes: 16 * 2 ** 20,
  stderrBytes: 2_000,
  tools: 256,
  pages: 64,
  descriptionChars: 4_000,
  schemaChars: 40_000,
  schemaDepth: 24,
  resultChars: 50_000,
  reports: 200,
  reportGapMs: 100,
  restarts: 5,
  backoffMs: 500,
  backoffMaxMs: 30_000,
};

/** Returns why a server URL is invalid and how to fix it; null if it is valid. The text never contains the URL. */
export function findUrlProblem(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return 'has an invalid URL: only http:// and https:// are supported.';
  if (parsed.username !== '' || parsed.password !== '')
    return 'has credentials in its URL. Use a header with an environment variable instead.';
  return null;
}

/** Whether traffic to this URL is unencrypted and leaves this machine. */
export function isPlaintextUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'http:') return false;
  return !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(parsed.hostname);
}

export type McpErrorCode =
  /** The server's configuration is invalid. */
  | 'bad-server'
  | 'cannot-start'
  | 'too-slow'
  /** The server runs but does not follow the protocol. */
  | 'bad-answer'
  | 'approvals'
  | 'closed';

/** An MCP server cannot be used. The message names the server, the problem and the fix. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Maximum tool name length that every provider accepts. */
const toolNameChars = 64;

/** Separates server and tool names. No server name contains it, so qualified names are unambiguous. */
const nameSeparator = '__';

const serverNamePattern = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i;

export const serverNameChars = 32;

export function isServerName(name: string): boolean {
  return name.length <= serverNameChars && serverNamePattern.test(name);
}

/**
 * Builds the tool name shown to the model. A name that must be shortened or escaped gets a hash suffix, so that
 * distinct names stay distinct.
 */
export function qualifyToolName(server: string, tool: string): string {
  const prefix = `${server}${nameSeparator}`;
  const charsMax = toolNameChars - prefix.length;
  if (/^[\w-]+$/.test(tool) && tool.length <= charsMax) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  const plain = tool.slice(0, toolNameChars).replaceAll(/[^\w-]/g, '_');
  return `${prefix}${plain.slice(0, charsMax - hash.length - 1)}_${hash}`;
}
