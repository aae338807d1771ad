import { PassThrough, type Readable } from 'node:stream';
import { readTraces, TraceSourceError, type TraceItem } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { formatOf, judgeOf, pricesOf, type AuditFormat, type Prices } from './audit-options.ts';
import { problemTeller } from './audit-problems.ts';
import { reportView } from './audit-report.ts';
import { auditRun, type Judge } from './audit-result.ts';
import { addRun, noTotals, type AuditTotals } from './audit-totals.ts';
import { jsonView, verdictsView, type AuditView } from './audit-view.ts';
import { LineOutput } from './line-output.ts';
import { counted } from './number-text.ts';

export type AuditOptions = {
  /** How to tell: report, json or verdicts. */
  readonly format: string;
  /** Whose rules judge; pawl unless told otherwise. */
  readonly preset?: string;
  /** What a million tokens cost that the model reads, and that it writes. */
  readonly priceIn?: string;
  readonly priceOut?: string;
  readonly quiet?: boolean;
  /** Aborted when the user presses Ctrl-C. */
  readonly signal?: AbortSignal;
};

/** Finds where recorded runs got stuck, and what that cost. The exit code says whether any did. */
export async function auditFiles(
  files: readonly string[],
  options: AuditOptions,
  io: Io,
  judge: Judge = judgeOf(options.preset ?? 'pawl'),
): Promise<ExitCode> {
  const format = formatOf(options.format);
  const prices = pricesOf(options);
  if (files.length === 0) throw new UsageError('Name a file or a folder to audit, or - for standard input.');
  const stop = new AbortController();
  const output = new LineOutput(io.stdout, () => stop.abort());
  const problems = problemTeller(io.stderr);
  const progress = progressLine(options.quiet === true ? quiet : io.stderr);
  const tell: AuditView['problem'] = (problem) => {
    progress.clear();
    if (options.quiet !== true) problems.tell(problem);
  };
  const view = viewFor(format, { io, output, tell, isQuiet: options.quiet === true, prices });
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const totals = await judgeAll(files, { stdin: io.stdin, signal, progress, view, prices, judge });
  problems.end();
  if (options.signal?.aborted === true) return exitCodes.interrupted;
  if (totals.runs === 0 && !output.closed) throw new UsageError(nothingFound(files, totals));
  await view.end(totals);
  output.throwFailure();
  return totals.stuck > 0 ? exitCodes.stuck : exitCodes.finished;
}

/** It is no terminal, so no progress is shown on it. */
const quiet = new PassThrough();

type Judging = {
  readonly stdin: Readable;
  readonly signal: AbortSignal;
  readonly progress: ReturnType<typeof progressLine>;
  readonly view: AuditView;
  readonly prices: Prices;
  readonly judge: Judge;
};

async function judgeAll(files: readonly string[], judging: Judging): Promise<AuditTotals> {
  const { stdin, signal, progress, view, prices, judge } = judging;
  let totals = noTotals;
  const onProgress = (file: string, bytes: number): void =>
    progress.show(readingText(totals.runs, file, bytes));
  for await (const item of readOrExplain(files, { stdin, signal, onProgress })) {
    if ('problem' in item) {
      totals = { ...totals, problems: totals.problems + 1 };
      view.problem(item.problem);
    } else {
      const run = auditRun(item.run, item.file, judge, prices);
      totals = addRun(totals, run);
      progress.clear();
      await view.run(run);
    }
  }
  progress.clear();
  return totals;
}

type ViewSetting = {
  readonly io: Io;
  readonly output: LineOutput;
  readonly tell: AuditView['problem'];
  readonly isQuiet: boolean;
  readonly prices: Prices;
};

function viewFor(format: AuditFormat, { io, output, tell, isQuiet, prices }: ViewSetting): AuditView {
  switch (format) {
    case 'report':
      return reportView(io, output, { isQuiet, hasInputPrice: prices.input !== null, tellProblem: tell });
    case 'json':
      return jsonView(output);
    case 'verdicts':
      return verdictsView(output, tell);
    default:
      return format satisfies never;
  }
}

/** A path that cannot be read is wrong usage; its message says which and why. */
async function* readOrExplain(...[files, options]: Parameters<typeof readTraces>): AsyncGenerator<TraceItem> {
  try {
    yield* readTraces(files, options);
  } catch (error) {
    throw asUsageError(error, TraceSourceError);
  }
}

/** How far the reading of traces is. */
export function readingText(runs: number, file: string, bytes: number): string {
  return `${counted(runs, 'run')}, ${(bytes / 1024 / 1024).toFixed(0)} MB read: ${file}`;
}

function nothingFound(files: readonly string[], { problems }: AuditTotals): string {
  const where = files.length === 1 ? JSON.stringify(files[0]) : counted(files.length, 'file');
  const met = problems === 0 ? '' : `, and ${counted(problems, 'problem')} on the way`;
  return `No recorded runs in ${where}${met}. See docs/trace-formats.md for what can be read.`;
}
