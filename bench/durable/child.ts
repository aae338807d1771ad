import { durableContenders, isDurableContenderKey } from './contenders.ts';
import { countBenchMessages } from './bench-session.ts';
import { computeStepWindows } from './windows.ts';

/** Runs one contender once in a fresh process. Arguments: `run` or `open`, key, steps, folder. Prints JSON. */
const [task = '', key = '', count = '', folder = ''] = process.argv.slice(2);
if (!isDurableContenderKey(key))
  throw new Error(`Expected one of ${Object.keys(durableContenders).join(', ')}, got '${key}'`);
const steps = Number(count);
const contender = await durableContenders[key]();

if (task === 'run') {
  const ticks: number[] = [];
  const done = await contender.run({ steps, folder, tick: () => void ticks.push(performance.now()) });
  if (ticks.length !== steps) throw new Error(`Expected ${steps} steps of ${key}, saw ${ticks.length}`);
  const { name, version } = contender;
  console.log(JSON.stringify({ name, version, ...done, windows: computeStepWindows(ticks) }));
} else {
  if (task === 'open-without-snapshot') contender.forgetSnapshot?.(folder);
  const opened = await contender.open(folder);
  const expected = countBenchMessages(steps);
  if (opened.messages !== expected)
    throw new Error(`Expected ${key} to hold ${expected} messages, found ${opened.messages}`);
  console.log(JSON.stringify(opened));
}
