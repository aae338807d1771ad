import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createDashboard, type DashboardOptions } from './dashboard.ts';
import { isLoopbackHost } from './security/middleware.ts';

export type StartDashboardOptions = DashboardOptions & {
  /** 0 selects any free port. */
  readonly port?: number;
};

export type RunningDashboard = {
  /** The server's URL, such as http://127.0.0.1:4747. */
  readonly url: string;
  readonly port: number;
  /** Returns a single-use URL that logs a browser in. */
  loginUrl(): string;
  /** Closes every connection and stops listening. The caller still owns the store and the host. */
  close(): Promise<void>;
};

/** The server cannot listen on the requested address. The message says why and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Starts the dashboard's server. Listening on a non-loopback address requires an explicitly chosen token. */
export async function startDashboard(options: StartDashboardOptions): Promise<RunningDashboard> {
  const { hostname = '127.0.0.1', port = 0, token } = options;
  if (!isLoopbackHost(hostname) && (token === undefined || token.length < tokenMin)) {
    throw new ListenError(
      `Listening on ${hostname} gives other machines access to the dashboard and the sessions it runs. Set PAWL_DASHBOARD_TOKEN to a token of at least ${tokenMin} characters, or omit --host.`,
    );
  }
  if (token !== undefined && !/^[\u0021-\u007e]{1,500}$/.test(token)) {
    throw new ListenError(
      'A token must be 1 to 500 printable ASCII characters without spaces. Change PAWL_DASHBOARD_TOKEN.',
    );
  }
  const { app, loginPath } = createDashboard(options);
  const server = createAdaptorServer({ fetch: app.fetch });
  server.maxConnections = connectionsMax;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, hostname, () => listening.resolve());
  await listening.promise.catch((error: unknown) => {
    throw toListenError(error, hostname, port);
  });
  const boundPort = (server.address() as AddressInfo).port;
  const url = `http://${toReachableHost(hostname)}:${boundPort}`;
  return {
    url,
    port: boundPort,
    loginUrl: () => url + loginPath(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

const tokenMin = 16;

/** Far more connections than one user's tabs need. */
const connectionsMax = 500;

function toListenError(error: unknown, hostname: string, port: number): ListenError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there. Choose another --port, or --port 0 for any that is free',
    EACCES: 'permission denied. Choose a --port above 1023',
    EADDRNOTAVAIL: 'the address does not belong to this machine. Choose another --host',
    ENOTFOUND: 'the host does not exist. Choose another --host',
  };
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new ListenError(`Cannot listen on ${hostname}:${port}: ${reason}.`, { cause: error });
}

/** Replaces a wildcard address with one that a browser can open. */
function toReachableHost(hostname: string): string {
  if (hostname === '0.0.0.0' || hostname === '::') return '127.0.0.1';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}
