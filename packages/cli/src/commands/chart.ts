import { writeFile } from 'node:fs/promises';
import { toMermaid, toSvg, toXState, turnChart, type Chart } from '@pawl/core';
import { didYouMean } from '../did-you-mean.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';

const charts: ReadonlyMap<string, Chart> = new Map([turnChart].map((each) => [each.name, each]));

const formats: ReadonlyMap<string, (drawn: Chart) => string> = new Map<string, (drawn: Chart) => string>([
  ['mermaid', toMermaid],
  ['xstate', (drawn) => pretty(toXState(drawn))],
  ['json', pretty],
  ['svg', toSvg],
]);

/** What `pawl chart` can draw, and how; for the help text. */
export const chartNames: readonly string[] = [...charts.keys()];
export const chartFormats: readonly string[] = [...formats.keys()];

/** Writes a chart of the machine to the terminal, or into a file. */
export async function chart(
  name: string,
  options: { readonly as: string; readonly out?: string | undefined },
  io: Io,
): Promise<number> {
  const found = pick(charts, name, 'chart');
  const text = pick(formats, options.as, 'format')(found);
  if (options.out === undefined) io.stdout.write(text);
  else await save(options.out, text);
  return exitCodes.finished;
}

function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function pick<Item>(items: ReadonlyMap<string, Item>, name: string, what: string): Item {
  const item = items.get(name);
  if (item !== undefined) return item;
  const known = [...items.keys()];
  const hint = didYouMean(name, known);
  throw new UsageError(`There is no ${what} ${JSON.stringify(name)}.${hint} There are: ${known.join(', ')}.`);
}

async function save(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new UsageError(`Cannot write ${JSON.stringify(path)}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'its folder does not exist.';
  if (code === 'EISDIR') return 'it is a folder. Name a file in it.';
  return error instanceof Error ? error.message : String(error);
}
