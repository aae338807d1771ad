import { answer } from '../durable/work.ts';
import { contenders, isContenderKey } from './contenders.ts';
import { stepMsAt } from './step-ms.ts';

/** One contender, once, in a process that has done nothing else: key, steps. Prints JSON. */
const [key = '', count = ''] = process.argv.slice(2);
if (!isContenderKey(key))
  throw new Error(`Expected one of ${Object.keys(contenders).join(', ')}, got '${key}'`);
const steps = Number(count);
const contender = await contenders[key]();
const { name, version } = contender;
const ticks: number[] = [];
const before = process.cpuUsage();
const start = performance.now();
const said = await contender.run({ steps, tick: () => void ticks.push(performance.now()) });
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(before);
// One of them gives all that was said on the way as its answer.
if (!said.endsWith(answer)) throw new Error(`Expected ${key} to end with its answer, and it said '${said}'`);
if (ticks.length !== steps) throw new Error(`Expected ${steps} steps of ${key}, saw ${ticks.length}`);
const processorMs = (user + system) / 1_000;
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ name, version, ms, processorMs, peakBytes, stepMs: stepMsAt(ticks, steps) }));
