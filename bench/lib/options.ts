import { parseArgs } from 'node:util';

export type BenchOptions = {
  readonly json: boolean;
  readonly quick: boolean;
  /** Run longer, for benchmarks that benefit from it. */
  readonly full: boolean;
  /** Whether to include peers that must be installed first. */
  readonly peers: boolean;
};

/** Parses the options that all benchmarks share. Returns null if help was shown or the options are invalid. */
export function readBenchOptions(help: string): BenchOptions | null {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowNegative: true,
    });
    const { help: isHelp, ...chosen } = values;
    if (!isHelp) return chosen;
    console.log(help);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    process.exitCode = 2;
  }
  return null;
}
