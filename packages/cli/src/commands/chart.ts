import {
  toDrawableChart,
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
import type { CommandIo } from '../command-io.ts';
import { UsageError, toUsageError } from '../usage-error.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import { isFilePath } from './profile-option.ts';
import { createUnknownNameError } from '../parse-choice.ts';

/** A chart in its written form and in its drawn form. */
type ChartSource = { readonly written: object; readonly drawn: Chart };

const builtInCharts: ReadonlyMap<string, ChartSource> = new Map([
  [turnChart.name, { written: turnChart, drawn: turnChart }],
  ...Object.values<ModeChart>(modeCharts).map((modes): [string, ChartSource] => [
    modes.name,
    toChartSource(modes),
  ]),
]);

const chartFormatters: ReadonlyMap<string, (chart: ChartSource) => string> = new Map<
  string,
  (chart: ChartSource) => string
>([
  ['mermaid', ({ drawn }) => toMermaid(drawn)],
  ['xstate', ({ drawn }) => formatPrettyJson(toXState(drawn))],
  ['json', ({ written }) => formatPrettyJson(written)],
  ['svg', ({ drawn }) => toSvg(drawn)],
]);

/** The charts and formats that `pawl chart` supports. */
export const chartNames: readonly string[] = [...builtInCharts.keys()];
export const chartFormats: readonly string[] = [...chartFormatters.keys()];

export type ChartOptions = {
  readonly format: string;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
  readonly list?: boolean | undefined;
};

/** Writes a built-in chart, or one from a file, to standard output or to a file. */
export async function writeChart(
  name: string | undefined,
  options: ChartOptions,
  io: CommandIo,
): Promise<ExitCode> {
  if (options.list === true) {
    io.stdout.write(formatChartList());
    return exitCodes.finished;
  }
  if (name === undefined) {
    throw new UsageError(`Name a chart: ${chartNames.join(', ')}, or a .json or .yaml file with one.`);
  }
  const format = pickByName(chartFormatters, options.format, 'format');
  const text = format(
    isFilePath(name) ? await readChartSource(name) : pickByName(builtInCharts, name, 'chart'),
  );
  if (options.out === undefined) io.stdout.write(text);
  else await writeFileAtomically(options.out, text, options.force === true);
  return exitCodes.finished;
}

function formatChartList(): string {
  const width = Math.max(...chartNames.map(({ length }) => length));
  const lines = [...builtInCharts].map(
    ([name, { drawn }]) => `${name.padEnd(width)}  ${drawn.states.map((state) => state.name).join(', ')}\n`,
  );
  return lines.join('');
}

function toChartSource(modes: ModeChart): ChartSource {
  return { written: modes, drawn: toDrawableChart(modes) };
}

async function readChartSource(path: string): Promise<ChartSource> {
  try {
    return toChartSource(await readChartFile(path));
  } catch (error) {
    throw toUsageError(error, ChartFileError);
  }
}

function formatPrettyJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function pickByName<Item>(items: ReadonlyMap<string, Item>, name: string, what: string): Item {
  const item = items.get(name);
  if (item !== undefined) return item;
  throw createUnknownNameError(what, name, [...items.keys()]);
}
