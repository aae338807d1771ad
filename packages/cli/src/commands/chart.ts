import { writeFile } from 'node:fs/promises';
import {
  chartOf,
  modeCharts,
  toMermaid,
  toSvg,
  toXState,
  turnChart,
  type Chart,
  type ModeChart,
} from '@pawl/core';
import { ChartFileError, readChartFile } from '@pawl/runtime';
import { didYouMean } from '../did-you-mean.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { isFileName } from './profile-option.ts';

/** A chart as it is written down, and as it is drawn. */
type Drawable = { readonly written: object; readonly drawn: Chart };

const charts: ReadonlyMap<string, Drawable> = new Map([
  [turnChart.name, { written: turnChart, drawn: turnChart }],
  ...Object.values<ModeChart>(modeCharts).map((modes): [string, Drawable] => [modes.name, drawable(modes)]),
]);

const formats: ReadonlyMap<string, (chart: Drawable) => string> = new Map<
  string,
  (chart: Drawable) => string
>([
  ['mermaid', ({ drawn }) => toMermaid(drawn)],
  ['xstate', ({ drawn }) => pretty(toXState(drawn))],
  ['json', ({ written }) => pretty(written)],
  ['svg', ({ drawn }) => toSvg(drawn)],
]);

/** What `pawl chart` can draw, and how. */
export const chartNames: readonly string[] = [...charts.keys()];
export const chartFormats: readonly string[] = [...formats.keys()];

export type ChartOptions = {
  readonly format: string;
  readonly out?: string | undefined;
  readonly list?: boolean | undefined;
};

/** Writes a chart to the terminal, or into a file: one that is built in, by its name, or that of a chart file. */
export async function chart(name: string | undefined, options: ChartOptions, io: Io): Promise<ExitCode> {
  if (options.list === true) {
    io.stdout.write(listOfCharts());
    return exitCodes.finished;
  }
  if (name === undefined) {
    throw new UsageError(`Name a chart: ${chartNames.join(', ')}, or a .json or .yaml file with one.`);
  }
  const format = pick(formats, options.format, 'format');
  const text = format(isFileName(name) ? await fromFile(name) : pick(charts, name, 'chart'));
  if (options.out === undefined) io.stdout.write(text);
  else await save(options.out, text);
  return exitCodes.finished;
}

function listOfCharts(): string {
  const width = Math.max(...chartNames.map(({ length }) => length));
  const lines = [...charts].map(
    ([name, { drawn }]) => `${name.padEnd(width)}  ${drawn.states.map((state) => state.name).join(', ')}\n`,
  );
  return lines.join('');
}

function drawable(modes: ModeChart): Drawable {
  return { written: modes, drawn: chartOf(modes) };
}

async function fromFile(path: string): Promise<Drawable> {
  try {
    return drawable(await readChartFile(path));
  } catch (error) {
    throw error instanceof ChartFileError ? new UsageError(error.message, { cause: error }) : error;
  }
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
