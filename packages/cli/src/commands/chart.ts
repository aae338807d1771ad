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
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { writeWhole } from '../whole-file.ts';
import { isFileName } from './profile-option.ts';
import { noSuch } from '../one-of.ts';

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
  readonly force?: boolean | undefined;
  readonly list?: boolean | undefined;
};

/** Writes a chart, built in or from a file, to standard output or into a file. */
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
  else await writeWhole(options.out, text, options.force === true);
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
    throw asUsageError(error, ChartFileError);
  }
}

function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function pick<Item>(items: ReadonlyMap<string, Item>, name: string, what: string): Item {
  const item = items.get(name);
  if (item !== undefined) return item;
  throw noSuch(what, name, [...items.keys()]);
}
