import { hasRedis } from '../packages/worker/test/redis-server.ts';
import { aims } from './distributed/aims.ts';
import { measure, type Plan } from './distributed/measure.ts';
import { report } from './distributed/report.ts';
import { readOptions, type Options } from './lib/options.ts';

const help = `Usage: node bench/distributed.ts [--quick] [--full] [--json]

Times sessions that workers take from a queue in Redis, beside as many raw jobs of BullMQ as these sessions have messages;
how long a tenant waits beside one with far more to do; and how long it takes after a worker is killed. Starts a Redis of
its own. bench/README.md says how to read the numbers.

  --quick      a short run: enough to see that it works, too short to be quoted
  --full       more rounds: about a quarter of an hour
  --json       the same numbers as JSON
  --help       this text`;

function planFor({ quick, full }: Options): Plan {
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

const options = readOptions(help);
if (options !== null && !hasRedis) {
  console.error('This needs redis-server: apt-get install redis-server');
} else if (options !== null) {
  const measured = await measure(planFor(options));
  const judged = aims(measured);
  console.log(
    options.json ? JSON.stringify({ ...measured, aims: judged }, null, 2) : report(measured, judged),
  );
}
