import type { Event } from '@pawl/core';
import type { RunningDashboard } from '@pawl/dashboard';
import type { StepResult } from '@pawl/runtime';
import type { TelemetryClient } from '@pawl/telemetry';
import type { OpenedStore } from '../sessions/store-option.ts';
import { openUrlInBrowser } from './browser.ts';
import {
  createLocalDashboard,
  createMetricSources,
  startDashboardServer,
  getSessionPage,
} from './dependencies.ts';

/** A dashboard in the process of a run, which shows that run live. */
export type EmbeddedDashboard = {
  /** One-time login URL that opens this session. */
  readonly login: string;
  readonly url: string;
  /** Receives every step result that the agent's observer receives. */
  observe(seen: Pick<StepResult, 'event'>): void;
  /** Marks the run as finished; from now on the dashboard may resume the session. */
  done(): void;
  close(): Promise<void>;
};

export type EmbeddedDashboardOptions = {
  readonly opened: OpenedStore;
  readonly id: string;
  readonly dir: string;
  /** The telemetry of the run; null without telemetry. */
  readonly telemetry: TelemetryClient | null;
  readonly warn: (line: string) => void;
  /** Whether to open a browser too. */
  readonly open: boolean;
};

/**
 * Starts the dashboard of `pawl run --open`; commands from the browser reach the run through the store, like all
 * commands.
 */
export async function startEmbeddedDashboard({
  opened,
  id,
  dir,
  telemetry,
  warn,
  open,
}: EmbeddedDashboardOptions): Promise<EmbeddedDashboard> {
  const listeners = new Set<(event: Event) => void>();
  let isRunning = true;
  const dependencies = createLocalDashboard(opened, {
    dir,
    warn,
    telemetry,
    externalRuns: {
      has: (session) => isRunning && session === id,
      watch(session, listener) {
        if (session === id) listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  });
  telemetry?.ask(createMetricSources(opened));
  const running: RunningDashboard = await startDashboardServer(dependencies, null, {}, warn);
  const page = getSessionPage(id);
  const removeLinkFile = open ? openUrlInBrowser(running.loginUrl() + page) : () => undefined;
  return {
    login: running.loginUrl() + page,
    url: `${running.url}/${page}`,
    observe({ event }) {
      for (const listener of listeners) listener(event);
    },
    done: () => void (isRunning = false),
    async close() {
      removeLinkFile();
      await running.close();
      await dependencies.host.close();
    },
  };
}
