import { benchAnswer } from '../durable/bench-session.ts';
import { loopContenders, isLoopContenderKey } from './contenders.ts';
import { computeStepTimes } from './step-ms.ts';

/** Runs one contender once in a fresh process. Arguments: key, steps. Prints JSON. */
const [key = '', count = ''] = process.argv.slice(2);
if (!isLoopContenderKey(key))
  throw new Error(`Expected one of ${Object.keys(loopContenders).join(', ')}, got '${key}'`);
const steps = Number(count);
const contender = await loopContenders[key]();
const { name, version } = contender;
const ticks: number[] = [];
const before = process.cpuUsage();
const start = performance.now();
const finalText = await contender.run({ steps, tick: () => void ticks.push(performance.now()) });
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(before);
// One contender returns all intermediate text as part of its answer.
if (!finalText.endsWith(benchAnswer))
  throw new Error(`Expected ${key} to end with its answer, got '${finalText}'`);
if (ticks.length !== steps) throw new Error(`Expected ${steps} steps of ${key}, saw ${ticks.length}`);
const processorMs = (user + system) / 1_000;
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(
  JSON.stringify({ name, version, ms, processorMs, peakBytes, stepMs: computeStepTimes(ticks, steps) }),
);
