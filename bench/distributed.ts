import { findProgram } from '../scripts/setup/system-packages.mjs';
import { listDistributedAims } from './distributed/aims.ts';
import { measureDistributed, type DistributedPlan } from './distributed/measure.ts';
import { formatDistributedReport } from './distributed/report.ts';
import { readBenchOptions, type BenchOptions } from './lib/options.ts';

const help = `Usage: node bench/distributed.ts [--quick] [--full] [--json]

Times sessions that workers run from a queue in Redis, compared with one raw BullMQ job per message; how long a tenant
waits next to one with many more sessions; and how long a takeover takes after a worker is killed. Starts its own Redis. bench/README.md explains the numbers.

  --quick      short run, for testing only
  --full       more rounds, about 15 minutes
  --json       print the results as JSON
  --help       show this help`;

function selectDistributedPlan({ quick, full }: BenchOptions): DistributedPlan {
  if (quick) {
    return {
      rounds: 1,
      workers: [1, 2],
      loads: [{ sessions: 20, steps: 4 }],
      concurrency: 50,
      fairness: { few: 5, many: 30 },
      takeovers: { times: 1, leaseMs: 2_000 },
    };
  }
  return {
    rounds: full ? 9 : 3,
    workers: [1, 2, 4],
    loads: [
      { sessions: full ? 1_000 : 500, steps: 10 },
      { sessions: full ? 5_000 : 2_500, steps: 0 },
    ],
    concurrency: 50,
    fairness: { few: 40, many: 800 },
    takeovers: { times: full ? 5 : 2, leaseMs: 10_000 },
  };
}

const options = readBenchOptions(help);
if (options !== null && findProgram(['redis-server']) === null) {
  console.error('This needs redis-server: apt-get install redis-server');
} else if (options !== null) {
  const measured = await measureDistributed(selectDistributedPlan(options));
  const judged = listDistributedAims(measured);
  console.log(
    options.json
      ? JSON.stringify({ ...measured, aims: judged }, null, 2)
      : formatDistributedReport(measured, judged),
  );
}
