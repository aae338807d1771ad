import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createConversationRecorder, createProxy, type ProxyNote } from '@pawl/gateway/proxy';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { openStoreOrMemory } from '../../sessions/store-option.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import {
  parseBudgetFlags,
  type BudgetFlags,
  parsePortOption,
  resolveFolder,
} from '../../options/parse-options.ts';
import { loadConfig } from '../../options/load-config.ts';

export type ProxyCommandOptions = Omit<BudgetFlags, 'maxCost'> & {
  readonly upstream?: string | undefined;
  readonly port: string;
  readonly dir: string;
  readonly store?: string | undefined;
  readonly completionTool?: readonly string[] | undefined;
  readonly allowOrigin?: readonly string[] | undefined;
  readonly quiet?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly signal: AbortSignal;
};

/** Runs the proxy until it is stopped. */
export async function runProxy(flags: ProxyCommandOptions, io: CommandIo): Promise<ExitCode> {
  const upstream = parseUpstream(flags.upstream);
  const completionTools = parseCompletionTools(flags.completionTool);
  const allowedOrigins = parseOrigins(flags.allowOrigin);
  const port = parsePortOption('--port', flags.port);
  const dir = await resolveFolder(flags.dir);
  const budgets = parseBudgetFlags(flags);
  const { config } = await loadConfig(dir, {}, null);
  const opened = await openStoreOrMemory(flags, config);
  const writeLine = (line: string): void =>
    void io.stderr.write(`${sanitizeOneLine(line)}
`);
  if (opened.warning !== null) writeLine(opened.warning);
  const metadata = { kind: 'proxy', dir, upstream: upstream.origin };
  // Without a persistent store, recordings would only accumulate in memory.
  const recorder =
    opened.path === null
      ? null
      : createConversationRecorder({ store: opened.store, metadata, onError: writeLine });
  const { server, waitUntilIdle } = createProxy({
    upstream,
    govern: { now: Date.now, ...(budgets !== null && { budgets }) },
    completionTools,
    allowedOrigins,
    recorder,
    onNote: createNoteWriter(flags, io, writeLine),
    now: Date.now,
  });
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const { port: boundPort } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${boundPort}`;
    io.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ type: 'listening', url, upstream: upstream.origin })}\n`
        : `${url} governs ${upstream.origin}\n`,
    );
    if (!flags.signal.aborted) await once(flags.signal, 'abort');
    return exitCodes.finished;
  } catch (error) {
    throw toListenUsageError(port, error);
  } finally {
    server.closeAllConnections();
    server.close();
    await waitUntilIdle();
    await recorder?.waitUntilIdle();
    await opened.close();
  }
}

function parseUpstream(text = ''): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '')
    return url;
  throw new UsageError(
    `--upstream must be the URL of a model API, such as https://api.openai.com, got ${JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@'))}.`,
  );
}

function parseCompletionTools(names: readonly string[] = []): readonly string[] {
  const wrong = names.find((name) => !/^[\w.:/-]+$/.test(name));
  if (wrong === undefined) return names;
  throw new UsageError(
    `--completion-tool must be the name of one tool, such as attempt_completion, got ${JSON.stringify(wrong)}.`,
  );
}

function parseOrigins(origins: readonly string[] = []): readonly string[] {
  const wrong = origins.find((origin) => !/^(?:null|[a-z][a-z\d+.-]*:\/\/[^\s/*?#]+\/?)$/i.test(origin));
  if (wrong === undefined) return origins;
  throw new UsageError(
    `--allow-origin must be one origin, such as https://app.example.org, or null, got ${JSON.stringify(wrong)}.`,
  );
}

function createNoteWriter(
  { quiet, json }: ProxyCommandOptions,
  io: CommandIo,
  writeLine: (line: string) => void,
): (note: ProxyNote) => void {
  if (quiet === true) return () => undefined;
  return json === true
    ? (note) => void io.stdout.write(`${JSON.stringify(note)}\n`)
    : (note) => writeLine(formatProxyNote(note));
}

function formatProxyNote(note: ProxyNote): string {
  switch (note.type) {
    case 'found':
      return `${note.isFinish ? 'Requested the final answer' : 'Advised'}: ${note.verdict.reason} (${note.verdict.rule})`;
    case 'cut':
      return 'Cut off a repetitive reply.';
    case 'replaced':
      return 'Replaced a last reply that was not an answer.';
    case 'over':
      return `Answered for the model: ${note.reason}`;
    default:
      return note satisfies never;
  }
}

function toListenUsageError(port: number, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error;
  return new UsageError(
    `Cannot listen on port ${port}: ${error.message}. Choose another --port, or 0 for any free port.`,
    {
      cause: error,
    },
  );
}
