type Named = {
  /** Stands in front of the names of its tools: letters, digits, `-`, and single `_` between them. */
  readonly name: string;
  /** How long it may take to start and to say what it offers. */
  readonly startMs?: number;
  /** How long one call may take. */
  readonly callMs?: number;
};

/** A server that we start ourselves and talk to through its standard input and output. */
export type McpCommandServer = Named & {
  readonly command: string;
  readonly args?: readonly string[];
  /** Besides a few harmless ones, the only variables it sees. `${NAME}` stands for a variable of our own. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
};

/** A server that runs elsewhere and speaks streamable HTTP. */
export type McpUrlServer = Named & {
  readonly url: string;
  /** `${NAME}` stands for a variable of our own environment. */
  readonly headers?: { readonly [name: string]: string };
};

export type McpServer = McpCommandServer | McpUrlServer;

/** Whatever a server does, it costs us no more than this. */
export type McpLimits = {
  readonly startMs: number;
  readonly callMs: number;
  /** How long it may take to end once it is asked to. */
  readonly closeMs: number;
  /** One message; a longer one is answered for the server, as an error. */
  readonly messageBytes: number;
  /** One message that goes on and on, and what is no message at all: beyond these the server is ended. */
  readonly floodBytes: number;
  readonly garbageBytes: number;
  /** What waits for a server that does not read. */
  readonly unsentBytes: number;
  /** Its last words on standard error. */
  readonly stderrBytes: number;
  readonly tools: number;
  readonly pages: number;
  readonly descriptionChars: number;
  readonly schemaChars: number;
  readonly schemaDepth: number;
  readonly resultChars: number;
  /** Progress reports of one call, and how far apart they are at least. */
  readonly reports: number;
  readonly reportGapMs: number;
  /** How often in a row it is started again without a call that came to an end. */
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
