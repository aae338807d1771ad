import type { ContenderKey } from './loop/contenders.ts';
import { measure } from './loop/measure.ts';
import { aims, report } from './loop/report.ts';
import { readOptions, type Options } from './lib/options.ts';

const help = `Usage: node bench/loop.ts [--quick] [--full] [--no-peers] [--json]

Times an agent that takes a thousand steps, with a model that answers at once, one call of a tool in each step and nothing
kept: in Pawl, AI SDK, LangChain, LangGraph.js, OpenAI Agents JS and Mastra. bench/README.md says how to read the numbers.

  --quick      a short run: enough to see that it works, too short to be quoted
  --full       more rounds
  --no-peers   Pawl alone
  --json       the same numbers as JSON
  --help       this text`;

const own: readonly ContenderKey[] = ['pawl', 'ungoverned', 'onAiSdk'];
const peers: readonly ContenderKey[] = [
  'aiSdk',
  'aiSdkStream',
  'langGraph',
  'langChain',
  'openaiAgents',
  'mastra',
];

function planFor({ quick, full, peers: hasPeers }: Options): Parameters<typeof measure>[0] {
  const contenders = hasPeers ? [...own, ...peers] : own;
  if (quick) return { steps: 60, rounds: 1, contenders, once: [] };
  // What a step costs the last two grows with the number of steps: a thousand of them take the better part of a minute.
  return { steps: 1_000, rounds: full ? 9 : 3, contenders, once: full ? [] : ['openaiAgents', 'mastra'] };
}

const options = readOptions(help);
if (options !== null) {
  const measured = measure(planFor(options));
  const judged = aims(measured);
  console.log(
    options.json ? JSON.stringify({ ...measured, aims: judged }, null, 2) : report(measured, judged),
  );
}
