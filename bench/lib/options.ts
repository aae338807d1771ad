import { parseArgs } from 'node:util';

export type Options = {
  readonly json: boolean;
  readonly quick: boolean;
  /** Longer than usual, where a bench has something to gain from that. */
  readonly full: boolean;
  /** Whether to measure beside what has to be installed first. */
  readonly peers: boolean;
};

/** The options every bench takes, or null when there is nothing left to run: help was shown, or they made no sense. */
export function readOptions(help: string): Options | null {
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
