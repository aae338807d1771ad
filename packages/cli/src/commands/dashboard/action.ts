import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ListenError, startDashboard, type RunningDashboard } from '@pawl/dashboard';
import manifest from '../../../package.json' with { type: 'json' };
import { exitCodes, type ExitCode } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { toUsageError } from '../../usage-error.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { openUrlInBrowser } from '../../dashboard/browser.ts';
import { withDashboardDependencies, type DashboardDependencies } from '../../dashboard/dependencies.ts';
import { findSession } from '../../sessions/find-session.ts';
import { isTerminalStream } from '../../terminal-prompt.ts';
import { parsePortOption } from '../../options/number-options.ts';

export type DashboardFlags = {
  readonly dir: string;
  readonly store?: string | undefined;
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  /** False with --no-open. */
  readonly open?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** The session to open first; without one, the session list. */
  readonly session?: string | undefined;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
};

/** Default port; any free port if it is taken. */
const defaultDashboardPort = 4747;

/** Serves the sessions of a store to a browser until it is stopped. */
export async function runDashboard(flags: DashboardFlags, io: CommandIo): Promise<ExitCode> {
  const warn = (line: string): void => void io.stderr.write(`${sanitizeOneLine(line)}\n`);
  const port = flags.port === undefined ? null : parsePortOption('--port', flags.port);
  return withDashboardDependencies(flags, warn, async (dependencies) => {
    const page = await getStartPage(flags, dependencies);
    const running = await startDashboardServer(dependencies, port, flags, warn);
    const cleanUp = announceDashboard({ ...running, loginUrl: () => running.loginUrl() + page }, flags, io);
    try {
      if (!flags.signal.aborted) await once(flags.signal, 'abort');
      return exitCodes.finished;
    } finally {
      cleanUp();
      await running.close();
    }
  });
}

/** The fragment after # survives the login redirect. */
async function getStartPage(
  { session, dir }: DashboardFlags,
  { store }: DashboardDependencies,
): Promise<string> {
  if (session === undefined) return '';
  return getSessionPage((await findSession(store, session, dir)).id);
}

export function getSessionPage(id: string): string {
  return `#/s/${encodeURIComponent(id)}/transcript`;
}

type ListenOptions = Pick<DashboardFlags, 'host'>;

/** Starts the server, on the default port unless another one is given. */
export async function startDashboardServer(
  dependencies: DashboardDependencies,
  port: number | null,
  { host }: ListenOptions,
  onError: (line: string) => void,
): Promise<RunningDashboard> {
  const token = process.env['PAWL_DASHBOARD_TOKEN'] ?? '';
  const start = (listenPort: number): Promise<RunningDashboard> =>
    startDashboard({
      ...dependencies,
      port: listenPort,
      onError,
      version: manifest.version,
      ...(host !== undefined && { hostname: host }),
      ...(token !== '' && { token }),
    });
  try {
    return await start(port ?? defaultDashboardPort).catch((error: unknown) => {
      if (port === null && isPortInUse(error)) return start(0);
      throw error;
    });
  } catch (error) {
    throw toUsageError(error, ListenError);
  }
}

function isPortInUse(error: unknown): boolean {
  return error instanceof ListenError && error.cause instanceof Error && 'code' in error.cause
    ? error.cause.code === 'EADDRINUSE'
    : false;
}

type DashboardLinks = Pick<RunningDashboard, 'url' | 'loginUrl'>;

/** Prints the address and opens it; returns a cleanup function. */
function announceDashboard(running: DashboardLinks, flags: DashboardFlags, io: CommandIo): () => void {
  const login = running.loginUrl();
  const isTerminal = isTerminalStream(io.stdout);
  if (flags.json === true) {
    io.stdout.write(`${JSON.stringify({ type: 'listening', url: running.url, login })}\n`);
  } else {
    io.stdout.write(`The dashboard is at ${running.url}\nOne-time login link: ${login}\n`);
  }
  const removeLinkFile =
    flags.open !== false && isTerminal ? openUrlInBrowser(running.loginUrl()) : () => undefined;
  if (!isTerminal || !isTerminalStream(io.stdin)) return removeLinkFile;
  io.stdout.write('Press Enter for a new link, Ctrl-C to stop.\n');
  const lines = createInterface({ input: io.stdin });
  lines.on('line', () => void io.stdout.write(`${running.loginUrl()}\n`));
  return () => {
    removeLinkFile();
    lines.close();
  };
}
