import { PassThrough, type Readable } from 'node:stream';
import { auditWithPreset } from '@pawl/governor/audit';
import { trackerPresets } from '@pawl/governor/tracker';
import { readTraces, TraceSourceError, type TraceItem } from '@pawl/runtime/traces';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { createProblemReporter, formatReadingProgress } from '../../output/trace-reading.ts';
import { createReportView, createAuditJsonView, createVerdictsView, type AuditView } from './report.ts';
import {
  auditRecordedRun,
  type RunJudge,
  addAuditedRun,
  emptyAuditTotals,
  type AuditPrices,
  type AuditTotals,
} from './result.ts';
import { LineOutput } from '../../output/line-output.ts';
import { formatCount } from '../../output/format-number.ts';
import { parseChoice, parseDecimalOption } from '../../options/parse-options.ts';

export type AuditOptions = {
  /** Output format: report, json or verdicts. */
  readonly format: string;
  /** Preset whose rules judge the runs; pawl by default. */
  readonly preset?: string;
  /** Input and output price per 1M tokens. */
  readonly priceIn?: string;
  readonly priceOut?: string;
  readonly quiet?: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal;
};

/** Finds where recorded runs got stuck and what that cost; the exit code says whether any did. */
export async function auditFiles(
  files: readonly string[],
  options: AuditOptions,
  io: CommandIo,
  judge: RunJudge = createRunJudge(options.preset ?? 'pawl'),
): Promise<ExitCode> {
  const format = parseAuditFormat(options.format);
  const prices = parseAuditPrices(options);
  if (files.length === 0)
    throw new UsageError('Specify a file or a folder to audit, or - for standard input.');
  const stop = new AbortController();
  const output = new LineOutput(io.stdout, () => stop.abort());
  const problems = createProblemReporter(io.stderr);
  const progress = createProgressLine(options.quiet === true ? silentStream : io.stderr);
  const onProblem: AuditView['problem'] = (problem) => {
    progress.clear();
    if (options.quiet !== true) problems.report(problem);
  };
  const view = createAuditView(format, {
    io,
    output,
    onProblem,
    isQuiet: options.quiet === true,
    prices,
  });
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const totals = await auditTraces(files, { stdin: io.stdin, signal, progress, view, prices, judge });
  problems.end();
  if (options.signal?.aborted === true) return exitCodes.interrupted;
  if (totals.runs === 0 && !output.closed) throw new UsageError(formatNoRunsMessage(files, totals));
  await view.end(totals);
  output.throwFailure();
  return totals.stuck > 0 ? exitCodes.stuck : exitCodes.finished;
}

/** Not a terminal, so no progress is shown on it. */
const silentStream = new PassThrough();

type AuditContext = {
  readonly stdin: Readable;
  readonly signal: AbortSignal;
  readonly progress: ReturnType<typeof createProgressLine>;
  readonly view: AuditView;
  readonly prices: AuditPrices;
  readonly judge: RunJudge;
};

async function auditTraces(files: readonly string[], context: AuditContext): Promise<AuditTotals> {
  const { stdin, signal, progress, view, prices, judge } = context;
  let totals = emptyAuditTotals;
  const onProgress = (file: string, bytes: number): void =>
    progress.show(formatReadingProgress(totals.runs, file, bytes));
  for await (const item of readTracesOrThrowUsage(files, { stdin, signal, onProgress })) {
    if ('problem' in item) {
      totals = { ...totals, problems: totals.problems + 1 };
      view.problem(item.problem);
    } else {
      const run = auditRecordedRun(item.run, item.file, judge, prices);
      totals = addAuditedRun(totals, run);
      progress.clear();
      await view.run(run);
    }
  }
  progress.clear();
  return totals;
}

type AuditViewOptions = {
  readonly io: CommandIo;
  readonly output: LineOutput;
  readonly onProblem: AuditView['problem'];
  readonly isQuiet: boolean;
  readonly prices: AuditPrices;
};

function createAuditView(
  format: AuditFormat,
  { io, output, onProblem, isQuiet, prices }: AuditViewOptions,
): AuditView {
  switch (format) {
    case 'report':
      return createReportView(io, output, {
        isQuiet,
        hasInputPrice: prices.input !== null,
        onProblem,
      });
    case 'json':
      return createAuditJsonView(output);
    case 'verdicts':
      return createVerdictsView(output, onProblem);
    default:
      return format satisfies never;
  }
}

/** Turns an unreadable path into a usage error whose message names the path and the reason. */
async function* readTracesOrThrowUsage(
  ...[files, options]: Parameters<typeof readTraces>
): AsyncGenerator<TraceItem> {
  try {
    yield* readTraces(files, options);
  } catch (error) {
    throw toUsageError(error, TraceSourceError);
  }
}

function formatNoRunsMessage(files: readonly string[], { problems }: AuditTotals): string {
  const source = files.length === 1 ? JSON.stringify(files[0]) : formatCount(files.length, 'file');
  const failures = problems === 0 ? '' : ` (${formatCount(problems, 'problem')} while reading)`;
  return `No recorded runs in ${source}${failures}. See docs/trace-formats.md for the supported formats.`;
}

export const auditFormats = ['report', 'json', 'verdicts'] as const;

type AuditFormat = (typeof auditFormats)[number];

function parseAuditFormat(name: string): AuditFormat {
  return parseChoice('format', name, auditFormats);
}

/** Creates a judge that applies the rules of a preset. */
function createRunJudge(name: string): RunJudge {
  const preset = parseChoice('preset', name, trackerPresets);
  return (run) => auditWithPreset(preset, run);
}

function parseAuditPrices(options: { readonly priceIn?: string; readonly priceOut?: string }): AuditPrices {
  return {
    input: parsePrice('--price-in', options.priceIn),
    output: parsePrice('--price-out', options.priceOut),
  };
}

function parsePrice(option: string, value: string | undefined): number | null {
  return value === undefined ? null : parseDecimalOption(option, value);
}
