import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createUpperAim } from './lib/aim.ts';
import { readBenchMachine } from './lib/environment.ts';
import { readBenchOptions } from './lib/options.ts';
import { measureProcessStarts, formatStartsReport } from './lib/process-starts.ts';

const help = `Usage: node bench/startup.ts [--quick] [--json]

Times the start of the command line, compared with a Node process that does nothing.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

const pawlEntry = fileURLToPath(new URL('../packages/cli/bin/pawl.js', import.meta.url));

/** The commands to start, and the output that each must print. */
const startupCommands = [
  { name: 'node, doing nothing', args: ['--eval', ''], prints: /^$/ },
  { name: 'pawl --version', args: [pawlEntry, '--version'], prints: /^\d+\.\d+\.\d+\n$/ },
  { name: 'pawl --help', args: [pawlEntry, '--help'], prints: /^Usage: pawl / },
  { name: 'pawl run --help', args: [pawlEntry, 'run', '--help'], prints: /^Usage: pawl run / },
] as const;

type StartupCommand = (typeof startupCommands)[number];

/** Measures the milliseconds from the start of the process to its exit, which is how long a user waits. */
function timeStartup({ name, args, prints }: StartupCommand): number {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const elapsedMs = performance.now() - start;
  if (status !== 0 || !prints.test(stdout)) throw new Error(`${name} failed: ${stderr || stdout}`);
  return elapsedMs;
}

const options = readBenchOptions(help);
if (options !== null) {
  const rounds = options.quick ? 3 : 21;
  // The warm-up round only fills the disk cache.
  const milliseconds = measureProcessStarts(startupCommands, timeStartup, { rounds, warmUp: 1 });
  const medianOf = (name: string): number =>
    milliseconds.find((each) => each.name === name)?.median ?? Number.NaN;
  const aims = [
    createUpperAim('ms for pawl --version', 150, medianOf('pawl --version')),
    createUpperAim('ms for pawl --help', 250, medianOf('pawl --help')),
  ];
  const result = { environment: readBenchMachine(), rounds, milliseconds, aims };
  console.log(options.json ? JSON.stringify(result, null, 2) : formatStartsReport(result));
}
