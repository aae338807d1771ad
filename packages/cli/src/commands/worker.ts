import { once } from 'node:events';
import { folderStorage, startWorker, tenantIn, type WorkerReport } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { withQueueOnceThere, type QueueFlags } from './queue-place.ts';
import { spanOf, wholeNumber } from './option-number.ts';
import { workerOutfit } from './worker-outfit.ts';
import { openWatch } from './worker-watch.ts';
import { folderNamed } from '../folder-option.ts';

export type WorkerFlags = QueueFlags & {
  readonly concurrency: string;
  /** In seconds, as on the command line. */
  readonly lease: string;
  readonly grace: string;
  /** How long sessions are kept that have ended; without it for as long as nobody removes them. */
  readonly keep?: string | undefined;
  /** Where metrics are served, for Prometheus, on this machine. */
  readonly metricsPort?: string | undefined;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
};

/** Takes sessions from the queue and works on them until it is told to end. */
export async function work(flags: WorkerFlags, io: Io): Promise<ExitCode> {
  const root = await folderNamed(flags.dir);
  const times = {
    concurrency: wholeNumber('--concurrency', flags.concurrency, 1),
    leaseMs: wholeNumber('--lease', flags.lease, 2) * 1_000,
    graceMs: wholeNumber('--grace', flags.grace, 0) * 1_000,
    keepMs: flags.keep === undefined ? null : spanOf('--keep', flags.keep),
  };
  const warn = (line: string): void => void io.stderr.write(`${visibleLine(line)}\n`);
  const { signal } = flags;
  const isNews = newsOnly();
  await withQueueOnceThere(flags, { warn, signal }, async ({ redis, store, queue }) => {
    const watched = await openWatch(flags, queue, warn);
    const worker = await startWorker({
      redis,
      store,
      queue,
      outfitFor: workerOutfit({
        root,
        storageOf: (dir, about) => folderStorage(redis, { dir, tenant: tenantIn(about) }),
        warn,
        telemetry: watched.telemetry,
      }),
      ...times,
      onReport(report) {
        watched.telemetry?.report(report);
        if (isNews(report)) tell(report, flags.json === true, io);
      },
    });
    warn(`Waiting for work in ${root}. Ctrl-C ends it; what is under way is left to others.`);
    if (!signal.aborted) await once(signal, 'abort');
    await worker.close();
    await watched.close();
  });
  return exitCodes.finished;
}

const words: Record<Exclude<WorkerReport['kind'], 'parked' | 'rescheduled' | 'trouble'>, string> = {
  taken: 'takes up',
  waiting: 'has nothing left to do for',
  ended: 'has brought to its end',
  left: 'leaves to others',
  lost: 'has lost',
  swept: 'has found without a job',
  fired: 'has begun by a schedule',
  removed: 'has removed, for its age,',
};

/** The same trouble comes again with every try: it is news once, until something else happens. */
function newsOnly(): (report: WorkerReport) => boolean {
  let last = '';
  return (report) => {
    const before = last;
    last = report.kind === 'trouble' ? report.message : '';
    return last === '' || last !== before;
  };
}

function tell(report: WorkerReport, json: boolean, { stdout }: Io): void {
  if (json) stdout.write(`${JSON.stringify(report)}\n`);
  else stdout.write(`${visibleLine(lineFor(report))}\n`);
}

function lineFor(report: WorkerReport): string {
  if (report.kind === 'trouble') return `trouble: ${report.message}`;
  if (report.kind === 'rescheduled')
    return `has put back the schedule ${report.schedule} of ${report.tenant}`;
  if (report.kind === 'parked') return `parked ${report.session}: ${report.reason}`;
  return `${words[report.kind]} ${report.session}`;
}
