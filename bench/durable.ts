import { aims } from './durable/aims.ts';
import { measure, type Length } from './durable/measure.ts';
import { report } from './durable/report.ts';
import { readOptions, type Options } from './lib/options.ts';
import { peersInstalled } from './peers/installed.ts';

const help = `Usage: node bench/durable.ts [--quick] [--full] [--no-peers] [--json]

Times sessions in which every step is kept on disk, in Pawl, in LangGraph.js and as a bare append to SQLite, and weighs
what they leave there. bench/README.md says how to read the numbers.

  --quick      a short run without peers: enough to see that it works, too short to be quoted
  --full       more rounds, and the longer sessions in LangGraph.js as well, where it can: about a quarter of an hour
  --no-peers   without LangGraph.js, which is otherwise installed into bench/peers (90 MB)
  --json       the same numbers as JSON
  --help       this text`;

const own = ['raw', 'pawl', 'ungoverned'] as const;

/** LangGraph as it comes writes with the square of the steps: 0.75 GB for a thousand, which is where it stops here. */
function lengthsFor({ quick, full }: Options, hasPeers: boolean): readonly Length[] {
  if (quick) return [150, 300].map((steps) => ({ steps, rounds: 1, contenders: own }));
  const rounds = full ? 9 : 3;
  return [
    { steps: 1_000, rounds, contenders: hasPeers ? [...own, 'langGraph', 'langGraphDelta'] : own },
    { steps: 10_000, rounds, contenders: hasPeers && full ? [...own, 'langGraphDelta'] : own },
  ];
}

const options = readOptions(help);
if (options !== null) {
  const hasPeers = options.peers && !options.quick && peersInstalled();
  const measured = measure(lengthsFor(options, hasPeers));
  const judged = aims(measured);
  console.log(
    options.json ? JSON.stringify({ ...measured, aims: judged }, null, 2) : report(measured, judged),
  );
}
