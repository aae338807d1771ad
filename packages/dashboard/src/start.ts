import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createDashboard, type DashboardOptions } from './dashboard.ts';
import { isLoopback } from './security/hosts.ts';

export type StartOptions = DashboardOptions & {
  /** 0 for any that is free. */
  readonly port?: number;
};

export type RunningDashboard = {
  /** Where it is, such as http://127.0.0.1:4747. */
  readonly url: string;
  readonly port: number;
  /** An address that logs a browser in, once. */
  loginUrl(): string;
  /** Ends every connection and stops listening. The store and the host are whoever's they were. */
  close(): Promise<void>;
};

/** It cannot listen where it was asked to. The message says why and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Starts the dashboard's server. Beyond this machine it listens only with a token that somebody chose. */
export async function startDashboard(options: StartOptions): Promise<RunningDashboard> {
  const { hostname = '127.0.0.1', port = 0, token } = options;
  if (!isLoopback(hostname) && (token === undefined || token.length < tokenMin)) {
    throw new ListenError(
      `On ${hostname} others can reach the dashboard, and what it runs. Choose a token of at least ${tokenMin} characters first and put it in PAWL_DASHBOARD_TOKEN, or leave out --host.`,
    );
  }
  if (token !== undefined && !/^[\u0021-\u007e]{1,500}$/.test(token)) {
    throw new ListenError(
      'A token is 1 to 500 letters, digits and signs of ASCII, without spaces. Choose another PAWL_DASHBOARD_TOKEN.',
    );
  }
  const { app, loginPath } = createDashboard(options);
  const server = createAdaptorServer({ fetch: app.fetch });
  server.maxConnections = connectionsMax;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, hostname, () => listening.resolve());
  await listening.promise.catch((error: unknown) => {
    throw cannotListen(error, hostname, port);
  });
  const bound = (server.address() as AddressInfo).port;
  const url = `http://${shown(hostname)}:${bound}`;
  return {
    url,
    port: bound,
    loginUrl: () => url + loginPath(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

const tokenMin = 16;

/** Far more than all the tabs of one person have. */
const connectionsMax = 500;

function cannotListen(error: unknown, hostname: string, port: number): ListenError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there. Choose another --port, or --port 0 for any that is free',
    EACCES: 'this user may not listen there. Choose a --port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address. Choose another --host',
    ENOTFOUND: 'there is no such host. Choose another --host',
  };
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new ListenError(`Cannot listen on ${hostname}:${port}: ${reason}.`, { cause: error });
}

/** One that stands for all addresses is no address to go to. */
function shown(hostname: string): string {
  if (hostname === '0.0.0.0' || hostname === '::') return '127.0.0.1';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}
