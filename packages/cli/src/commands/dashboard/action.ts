import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { RunningDashboard } from '@pawl/dashboard';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { openUrlInBrowser } from '../../dashboard/browser.ts';
import {
  withDashboardDependencies,
  getSessionPage,
  startDashboardServer,
  type DashboardDependencies,
} from '../../dashboard/dependencies.ts';
import { findSession } from '../../sessions/find-session.ts';
import { isTerminalStream } from '../../output/terminal-prompt.ts';
import { parsePortOption } from '../../options/parse-options.ts';

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
