import { listDurableAims } from './durable/aims.ts';
import { measureDurable, type SessionLength } from './durable/measure.ts';
import { formatDurableReport } from './durable/report.ts';
import { readBenchOptions, type BenchOptions } from './lib/options.ts';
import { ensurePeersInstalled } from './peers/install-peers.ts';

const help = `Usage: node bench/durable.ts [--quick] [--full] [--no-peers] [--json]

Times sessions that persist every step, in Pawl, in LangGraph.js and as a bare append to SQLite, and measures their size
on disk. bench/README.md explains the numbers.

  --quick      short run without peers, for testing only
  --full       more rounds, and longer sessions in LangGraph.js where possible, about 15 minutes
  --no-peers   without LangGraph.js, which is otherwise installed into bench/peers (90 MB)
  --json       print the results as JSON
  --help       show this help`;

const ownDurableContenders = ['raw', 'pawl', 'ungoverned'] as const;

/** LangGraph's default message list writes quadratically (0.75 GB for 1,000 steps), so longer sessions omit it. */
function selectLengths({ quick, full }: BenchOptions, hasPeers: boolean): readonly SessionLength[] {
  if (quick) return [150, 300].map((steps) => ({ steps, rounds: 1, contenders: ownDurableContenders }));
  const rounds = full ? 9 : 3;
  return [
    {
      steps: 1_000,
      rounds,
      contenders: hasPeers ? [...ownDurableContenders, 'langGraph', 'langGraphDelta'] : ownDurableContenders,
    },
    {
      steps: 10_000,
      rounds,
      contenders: hasPeers && full ? [...ownDurableContenders, 'langGraphDelta'] : ownDurableContenders,
    },
  ];
}

const options = readBenchOptions(help);
if (options !== null) {
  const hasPeers = options.peers && !options.quick && ensurePeersInstalled();
  const measured = measureDurable(selectLengths(options, hasPeers));
  const judged = listDurableAims(measured);
  console.log(
    options.json
      ? JSON.stringify({ ...measured, aims: judged }, null, 2)
      : formatDurableReport(measured, judged),
  );
}
