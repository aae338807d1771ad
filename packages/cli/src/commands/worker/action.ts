import type { MetricsServer, TelemetryClient } from '@pawl/telemetry';
import {
  createFolderStorage,
  createSessionAgentFactory,
  startWorker,
  getTenant,
  type WorkerReport,
  type SessionQueue,
} from '@pawl/worker';
import { once } from 'node:events';
import type { CommandIo } from '../../output/command-io.ts';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import {
  resolveFolder,
  parseTimeSpanOption,
  parseWholeNumberOption,
  parsePortOption,
} from '../../options/parse-options.ts';
import { loadConfig } from '../../options/load-config.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { withAwaitedQueue, type QueueFlags } from '../../queue/queue-connection.ts';
import { toAgentObservers, openTelemetry } from '../../observability/run-telemetry.ts';

export type WorkerFlags = QueueFlags & {
  readonly concurrency: string;
  /** In seconds. */
  readonly lease: string;
  readonly grace: string;
  /** Retention of ended sessions; without it they are never removed automatically. */
  readonly keep?: string | undefined;
  /** Port for Prometheus metrics on this machine. */
  readonly metricsPort?: string | undefined;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
};

/** Claims sessions from the queue and runs them until it is stopped. */
export async function runWorker(flags: WorkerFlags, io: CommandIo): Promise<ExitCode> {
  const root = await resolveFolder(flags.dir);
  const limits = {
    concurrency: parseWholeNumberOption('--concurrency', flags.concurrency, 1),
    leaseMs: parseWholeNumberOption('--lease', flags.lease, 2) * 1_000,
    graceMs: parseWholeNumberOption('--grace', flags.grace, 0) * 1_000,
    keepMs: flags.keep === undefined ? null : parseTimeSpanOption('--keep', flags.keep),
  };
  const warn = (line: string): void => void io.stderr.write(`${sanitizeOneLine(line)}\n`);
  const { signal } = flags;
  const shouldReport = createRepeatFilter();
  await withAwaitedQueue(flags, { warn, signal }, async ({ redis, store, queue }) => {
    const metrics = await openWorkerMetrics(flags, queue, warn);
    const worker = await startWorker({
      redis,
      store,
      queue,
      agentFactory: createSessionAgentFactory({
        root,
        openStorage: (dir, metadata) => createFolderStorage(redis, { dir, tenant: getTenant(metadata) }),
        warn,
        overrides: { observers: toAgentObservers(metrics.telemetry) },
      }),
      ...limits,
      onReport(report) {
        metrics.telemetry?.report(report);
        if (shouldReport(report)) writeWorkerReport(report, flags.json === true, io);
      },
    });
    warn(
      `Waiting for sessions in ${root}. Press Ctrl-C to stop; unfinished sessions are released to other workers.`,
    );
    if (!signal.aborted) await once(signal, 'abort');
    await worker.close();
    await metrics.close();
  });
  return exitCodes.finished;
}

const reportVerbs: Record<Exclude<WorkerReport['kind'], 'parked' | 'rescheduled' | 'trouble'>, string> = {
  taken: 'claimed',
  waiting: 'idle:',
  ended: 'finished',
  left: 'released',
  lost: 'lost the lease of',
  swept: 'requeued',
  fired: 'started by schedule:',
  removed: 'removed expired',
};

/** Reports a repeated error once, because every retry raises it again. */
function createRepeatFilter(): (report: WorkerReport) => boolean {
  let last = '';
  return (report) => {
    const before = last;
    last = report.kind === 'trouble' ? report.message : '';
    return last === '' || last !== before;
  };
}

function writeWorkerReport(report: WorkerReport, json: boolean, { stdout }: CommandIo): void {
  if (json) stdout.write(`${JSON.stringify(report)}\n`);
  else stdout.write(`${sanitizeOneLine(formatWorkerReport(report))}\n`);
}

function formatWorkerReport(report: WorkerReport): string {
  if (report.kind === 'trouble') return `error: ${report.message}`;
  if (report.kind === 'rescheduled') return `restored schedule ${report.schedule} of ${report.tenant}`;
  if (report.kind === 'parked') return `parked ${report.session}: ${report.reason}`;
  return `${reportVerbs[report.kind]} ${report.session}`;
}

type WorkerMetricsFlags = { readonly dir: string; readonly metricsPort?: string | undefined };

/** The telemetry of a worker and its metrics server. */
export type WorkerMetrics = { readonly telemetry: TelemetryClient | null; close(): Promise<void> };

/** Opens what was requested; loads no package for what was not. */
async function openWorkerMetrics(
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
