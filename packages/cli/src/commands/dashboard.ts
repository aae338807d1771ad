import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ListenError, startDashboard, type RunningDashboard } from '@pawl/dashboard';
import manifest from '../../package.json' with { type: 'json' };
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { asUsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { openInBrowser } from './dashboard-browser.ts';
import { withPlace, type DashboardPlace } from './dashboard-place.ts';
import { sessionNamed } from './session-named.ts';
import { isTerminal } from '../terminal.ts';
import { portNumber } from './option-number.ts';

export type DashboardFlags = {
  readonly dir: string;
  readonly store?: string | undefined;
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  /** False with --no-open. */
  readonly open?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** The session to begin with; the list of all without one. */
  readonly session?: string | undefined;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
};

/** Where it is unless told otherwise; any other port if that one is taken. */
const usualPort = 4747;

/** Shows the sessions of a store in a browser until it is asked to stop. */
export async function dashboard(flags: DashboardFlags, io: Io): Promise<ExitCode> {
  const warn = (line: string): void => void io.stderr.write(`${visibleLine(line)}\n`);
  const asked = flags.port === undefined ? null : portNumber('--port', flags.port);
  return withPlace(flags, warn, async (place) => {
    const page = await pageOf(flags, place);
    const running = await listen(place, asked, flags, warn);
    const end = greet({ ...running, loginUrl: () => running.loginUrl() + page }, flags, io);
    try {
      if (!flags.signal.aborted) await once(flags.signal, 'abort');
      return exitCodes.finished;
    } finally {
      end();
      await running.close();
    }
  });
}

/** What stands behind the # stays there when the login sends the browser on. */
async function pageOf({ session, dir }: DashboardFlags, { store }: DashboardPlace): Promise<string> {
  if (session === undefined) return '';
  return sessionPage((await sessionNamed(store, session, dir)).id);
}

/** Where a session is shown. */
export function sessionPage(id: string): string {
  return `#/s/${encodeURIComponent(id)}/transcript`;
}

type Listening = Pick<DashboardFlags, 'host'>;

/** Starts the server, on the usual port if no other was asked for. */
export async function listen(
  place: DashboardPlace,
  port: number | null,
  { host }: Listening,
  onTrouble: (line: string) => void,
): Promise<RunningDashboard> {
  const token = process.env['PAWL_DASHBOARD_TOKEN'] ?? '';
  const start = (on: number): Promise<RunningDashboard> =>
    startDashboard({
      ...place,
      port: on,
      onTrouble,
      version: manifest.version,
      ...(host !== undefined && { hostname: host }),
      ...(token !== '' && { token }),
    });
  try {
    return await start(port ?? usualPort).catch((error: unknown) => {
      if (port === null && isTaken(error)) return start(0);
      throw error;
    });
  } catch (error) {
    throw asUsageError(error, ListenError);
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof ListenError && error.cause instanceof Error && 'code' in error.cause
    ? error.cause.code === 'EADDRINUSE'
    : false;
}

type Greeted = Pick<RunningDashboard, 'url' | 'loginUrl'>;

/** Says where it is, and opens it; gives what ends both. */
function greet(running: Greeted, flags: DashboardFlags, io: Io): () => void {
  const login = running.loginUrl();
  const isSeen = isTerminal(io.stdout);
  if (flags.json === true) {
    io.stdout.write(`${JSON.stringify({ type: 'listening', url: running.url, login })}\n`);
  } else {
    io.stdout.write(`The dashboard is at ${running.url}\nLog in, once, with: ${login}\n`);
  }
  const tidy = flags.open !== false && isSeen ? openInBrowser(running.loginUrl()) : () => undefined;
  if (!isSeen || !isTerminal(io.stdin)) return tidy;
  io.stdout.write('Enter gives a new link, Ctrl-C ends it.\n');
  const lines = createInterface({ input: io.stdin });
  lines.on('line', () => void io.stdout.write(`${running.loginUrl()}\n`));
  return () => {
    tidy();
    lines.close();
  };
}
