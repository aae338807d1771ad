import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost } from './lib/aim.ts';
import { environment } from './lib/environment.ts';
import { readOptions } from './lib/options.ts';
import { measureStarts, startsReport } from './lib/starts.ts';

const help = `Usage: node bench/startup.ts [--quick] [--json]

Times how long the command line takes to say anything at all, beside a Node that does nothing.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

const pawl = fileURLToPath(new URL('../packages/cli/bin/pawl.js', import.meta.url));

/** What is started, and what it has to print so that it counts. */
const commands = [
  { name: 'node, doing nothing', args: ['--eval', ''], prints: /^$/ },
  { name: 'pawl --version', args: [pawl, '--version'], prints: /^\d+\.\d+\.\d+\n$/ },
  { name: 'pawl --help', args: [pawl, '--help'], prints: /^Usage: pawl / },
  { name: 'pawl run --help', args: [pawl, 'run', '--help'], prints: /^Usage: pawl run / },
] as const;

type Command = (typeof commands)[number];

/** Milliseconds from the start of the process to its end: what somebody at a terminal waits. */
function time({ name, args, prints }: Command): number {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const taken = performance.now() - start;
  if (status !== 0 || !prints.test(stdout)) throw new Error(`${name} failed: ${stderr || stdout}`);
  return taken;
}

const options = readOptions(help);
if (options !== null) {
  const rounds = options.quick ? 3 : 21;
  // The round before only warms the disk's cache.
  const milliseconds = measureStarts(commands, time, { rounds, warmUp: 1 });
  const medianOf = (name: string): number =>
    milliseconds.find((each) => each.name === name)?.median ?? Number.NaN;
  const aims = [
    atMost('ms for pawl --version', 150, medianOf('pawl --version')),
    atMost('ms for pawl --help', 250, medianOf('pawl --help')),
  ];
  const result = { environment: environment(), rounds, milliseconds, aims };
  console.log(options.json ? JSON.stringify(result, null, 2) : startsReport(result));
}
