import type { LoopContenderKey } from './loop/contenders.ts';
import { measureLoop } from './loop/measure.ts';
import { listLoopAims, formatLoopReport } from './loop/report.ts';
import { readBenchOptions, type BenchOptions } from './lib/options.ts';

const help = `Usage: node bench/loop.ts [--quick] [--full] [--no-peers] [--json]

Times an agent over a thousand steps, with a model that answers immediately, one tool call per step and no persistence: in
Pawl, AI SDK, LangChain, LangGraph.js, OpenAI Agents JS and Mastra. bench/README.md explains the numbers.

  --quick      short run, for testing only
  --full       more rounds
  --no-peers   Pawl alone
  --json       print the results as JSON
  --help       show this help`;

const ownLoopContenders: readonly LoopContenderKey[] = ['pawl', 'ungoverned', 'onAiSdk'];
const peers: readonly LoopContenderKey[] = [
  'aiSdk',
  'aiSdkStream',
  'langGraph',
  'langChain',
  'openaiAgents',
  'mastra',
];

function selectLoopPlan({ quick, full, peers: hasPeers }: BenchOptions): Parameters<typeof measureLoop>[0] {
  const contenders = hasPeers ? [...ownLoopContenders, ...peers] : ownLoopContenders;
  if (quick) return { steps: 60, rounds: 1, contenders, once: [] };
  // The cost per step of the last two grows with the number of steps: a thousand take almost a minute.
  return { steps: 1_000, rounds: full ? 9 : 3, contenders, once: full ? [] : ['openaiAgents', 'mastra'] };
}

const options = readBenchOptions(help);
if (options !== null) {
  const measured = measureLoop(selectLoopPlan(options));
  const judged = listLoopAims(measured);
  console.log(
    options.json
      ? JSON.stringify({ ...measured, aims: judged }, null, 2)
      : formatLoopReport(measured, judged),
  );
}
