import { parseArgs } from 'node:util';

export type Options = { readonly json: boolean; readonly quick: boolean };

/** The options every bench takes, or null when there is nothing left to run: help was shown, or they made no sense. */
export function readOptions(help: string): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (!values.help) return { json: values.json, quick: values.quick };
    console.log(help);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    process.exitCode = 2;
  }
  return null;
}
