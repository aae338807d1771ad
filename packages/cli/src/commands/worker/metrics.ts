import type { SessionQueue } from '@pawl/worker';
import type { MetricsServer, TelemetryClient } from '@pawl/telemetry';
import { UsageError } from '../../usage-error.ts';
import { loadConfig } from '../../options/load-config.ts';
import { openTelemetry } from '../../run/run-telemetry.ts';
import { parsePortOption } from '../../options/number-options.ts';

type WorkerMetricsFlags = { readonly dir: string; readonly metricsPort?: string | undefined };

/** The telemetry of a worker and its metrics server. */
export type WorkerMetrics = { readonly telemetry: TelemetryClient | null; close(): Promise<void> };

/** Opens what was requested; loads no package for what was not. */
export async function openWorkerMetrics(
  { dir, metricsPort }: WorkerMetricsFlags,
  queue: Pick<SessionQueue, 'depths' | 'parked'>,
  warn: (line: string) => void,
): Promise<WorkerMetrics> {
  const port = metricsPort === undefined ? null : parsePortOption('--metrics-port', metricsPort);
  const { config } = await loadConfig(dir, {}, null);
  const telemetry = await openTelemetry(config, { prometheus: port !== null, warn });
  if (telemetry === null) return { telemetry, close: async () => undefined };
  telemetry.ask({ queue: () => queue.depths(), parked: async () => (await queue.parked()).length });
  const server = port === null ? null : await serveWorkerMetrics(port, telemetry);
  if (server !== null) warn(`Metrics are at http://127.0.0.1:${server.port}/metrics`);
  return {
    telemetry,
    async close() {
      await server?.close();
      await telemetry.shutdown();
    },
  };
}

async function serveWorkerMetrics(port: number, telemetry: TelemetryClient): Promise<MetricsServer> {
  const { serveMetrics } = await import('@pawl/telemetry');
  try {
    return await serveMetrics(port, telemetry.prometheus);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot serve metrics on port ${port}: ${reason}`, { cause: error });
  }
}
