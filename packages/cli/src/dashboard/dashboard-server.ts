import { ListenError, startDashboard, type RunningDashboard } from '@pawl/dashboard';
import manifest from '../../package.json' with { type: 'json' };
import { toUsageError } from '../output/exit-codes.ts';
import type { DashboardDependencies } from './dependencies.ts';

/** Default port; any free port if it is taken. */
const defaultDashboardPort = 4747;

type ListenOptions = { readonly host?: string | undefined };

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

/** The page of a session, as the fragment of an address. */
export function getSessionPage(id: string): string {
  return `#/s/${encodeURIComponent(id)}/transcript`;
}
