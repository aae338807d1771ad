import { toDrawableChart, toMermaid, toXState, turnChart, type Chart } from '@pawl/core/charts';
import { modeCharts, type ModeChart } from '@pawl/core/modes';
import { isDataFilePath } from '@pawl/runtime/agent-setup';
import { ChartFileError, readChartFile, toSvg } from '@pawl/runtime/charts';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { writeFileAtomically } from '../../output/atomic-file.ts';
import { createUnknownNameError } from '../../options/parse-options.ts';

/** A chart as it is defined, and as it is drawn. */
type ChartSource = { readonly definition: object; readonly chart: Chart };

const builtInCharts: ReadonlyMap<string, ChartSource> = new Map([
  [turnChart.name, { definition: turnChart, chart: turnChart }],
  ...Object.values<ModeChart>(modeCharts).map((modes): [string, ChartSource] => [
    modes.name,
    toChartSource(modes),
  ]),
]);

type ChartFormatter = (source: ChartSource) => string | Promise<string>;

const chartFormatters: ReadonlyMap<string, ChartFormatter> = new Map<string, ChartFormatter>([
  ['mermaid', ({ chart }) => toMermaid(chart)],
  ['xstate', ({ chart }) => formatPrettyJson(toXState(chart))],
  ['json', ({ definition }) => formatPrettyJson(definition)],
  ['svg', ({ chart }) => toSvg(chart)],
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
    throw new UsageError(
      `Specify a chart: ${chartNames.join(', ')}, or a .json or .yaml file that contains one.`,
    );
  }
  const format = pickByName(chartFormatters, options.format, 'format');
  const text = await format(
    isDataFilePath(name) ? await readChartSource(name) : pickByName(builtInCharts, name, 'chart'),
  );
  if (options.out === undefined) io.stdout.write(text);
  else await writeFileAtomically(options.out, text, options.force === true);
  return exitCodes.finished;
}

function formatChartList(): string {
  const width = Math.max(...chartNames.map(({ length }) => length));
  const lines = [...builtInCharts].map(
    ([name, { chart }]) => `${name.padEnd(width)}  ${chart.states.map((state) => state.name).join(', ')}\n`,
  );
  return lines.join('');
}

function toChartSource(modes: ModeChart): ChartSource {
  return { definition: modes, chart: toDrawableChart(modes) };
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

function pickByName<Item>(items: ReadonlyMap<string, Item>, name: string, kind: string): Item {
  const item = items.get(name);
  if (item !== undefined) return item;
  throw createUnknownNameError(kind, name, [...items.keys()]);
}
