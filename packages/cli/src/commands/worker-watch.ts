import type { SessionQueue } from '@pawl/worker';
import type { MetricsServer, Telemetry } from '@pawl/telemetry';
import { UsageError } from '../usage-error.ts';
import { configFor } from './run-config.ts';
import { openTelemetry } from './run-telemetry.ts';
import { portNumber } from './option-number.ts';

type WatchFlags = { readonly dir: string; readonly metricsPort?: string | undefined };

/** What tells how a worker is doing: its telemetry, and where it is served. */
export type Watched = { readonly telemetry: Telemetry | null; close(): Promise<void> };

/** Opens what was asked for; nothing is loaded for what was not. */
export async function openWatch(
  { dir, metricsPort }: WatchFlags,
  queue: Pick<SessionQueue, 'depths' | 'parked'>,
  warn: (line: string) => void,
): Promise<Watched> {
  const port = metricsPort === undefined ? null : portNumber('--metrics-port', metricsPort);
  const { config } = await configFor(dir, {}, null);
  const telemetry = await openTelemetry(config, { prometheus: port !== null, warn });
  if (telemetry === null) return { telemetry, close: async () => undefined };
  telemetry.ask({ queue: () => queue.depths(), parked: async () => (await queue.parked()).length });
  const server = port === null ? null : await serve(port, telemetry);
  if (server !== null) warn(`Metrics are at http://127.0.0.1:${server.port}/metrics`);
  return {
    telemetry,
    async close() {
      await server?.close();
      await telemetry.shutdown();
    },
  };
}

async function serve(port: number, telemetry: Telemetry): Promise<MetricsServer> {
  const { serveMetrics } = await import('@pawl/telemetry');
  try {
    return await serveMetrics(port, telemetry.prometheus);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Metrics cannot be served at port ${port}: ${why}`, { cause: error });
  }
}
