import type { Event } from '@pawl/core';
import type { RunningDashboard } from '@pawl/dashboard';
import type { Seen } from '@pawl/runtime';
import type { Telemetry } from '@pawl/telemetry';
import type { OpenedStore } from '../store-option.ts';
import { openInBrowser } from './dashboard-browser.ts';
import { sourcesOf } from './dashboard-metrics.ts';
import { localPlace } from './dashboard-place.ts';
import { listen, sessionPage } from './dashboard.ts';

/** A dashboard beside a run of this process, which shows it as it happens. */
export type DashboardBeside = {
  /** An address that shows this session, after a login that works once. */
  readonly login: string;
  readonly url: string;
  /** To be told of all that the agent's observer is told. */
  see(seen: Pick<Seen, 'event'>): void;
  /** The run is over: from now on the session may be resumed from the dashboard. */
  done(): void;
  close(): Promise<void>;
};

export type BesideOptions = {
  readonly opened: OpenedStore;
  /** The session that runs. */
  readonly id: string;
  readonly dir: string;
  /** What the run is counted by; null where nothing is counted. */
  readonly telemetry: Telemetry | null;
  readonly warn: (line: string) => void;
  /** Whether to open a browser as well. */
  readonly open: boolean;
};

/** For `pawl run --open`: what is asked for in the browser reaches the run through the store, as it does from anywhere. */
export async function dashboardBeside({
  opened,
  id,
  dir,
  telemetry,
  warn,
  open,
}: BesideOptions): Promise<DashboardBeside> {
  const listeners = new Set<(event: Event) => void>();
  let isRunning = true;
  const place = localPlace(opened, {
    dir,
    warn,
    telemetry,
    besides: {
      has: (session) => isRunning && session === id,
      watch(session, listener) {
        if (session === id) listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  });
  telemetry?.ask(sourcesOf(opened));
  const running: RunningDashboard = await listen(place, null, {}, warn);
  const page = sessionPage(id);
  const tidy = open ? openInBrowser(running.loginUrl() + page) : () => undefined;
  return {
    login: running.loginUrl() + page,
    url: `${running.url}/${page}`,
    see({ event }) {
      for (const listener of listeners) listener(event);
    },
    done: () => void (isRunning = false),
    async close() {
      tidy();
      await running.close();
      await place.host.close();
    },
  };
}
