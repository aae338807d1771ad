import { contenders, isContenderKey } from './contenders.ts';
import { messagesAfter } from './work.ts';
import { windowsOf } from './windows.ts';

/** One contender, once, in a process that has done nothing else: `run` or `open`, key, steps, folder. Prints JSON. */
const [task = '', key = '', count = '', folder = ''] = process.argv.slice(2);
if (!isContenderKey(key))
  throw new Error(`Expected one of ${Object.keys(contenders).join(', ')}, got '${key}'`);
const steps = Number(count);
const contender = await contenders[key]();

if (task === 'run') {
  const ticks: number[] = [];
  const done = await contender.run({ steps, folder, tick: () => void ticks.push(performance.now()) });
  if (ticks.length !== steps) throw new Error(`Expected ${steps} steps of ${key}, saw ${ticks.length}`);
  const { name, version } = contender;
  console.log(JSON.stringify({ name, version, ...done, windows: windowsOf(ticks) }));
} else {
  if (task === 'open-without-snapshot') contender.forgetSnapshot?.(folder);
  const opened = await contender.open(folder);
  const expected = messagesAfter(steps);
  if (opened.messages !== expected)
    throw new Error(`Expected ${key} to hold ${expected} messages, found ${opened.messages}`);
  console.log(JSON.stringify(opened));
}
