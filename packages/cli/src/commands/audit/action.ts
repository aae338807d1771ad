import { PassThrough, type Readable } from 'node:stream';
import { auditWithPreset } from '@pawl/governor/audit';
import { trackerPresets } from '@pawl/governor/tracker';
import {
  findAgentSessionFolders,
  listAgentSessionLocations,
  readTraces,
  TraceSourceError,
  type AgentSessionFolder,
  type SessionEnvironment,
  type TraceItem,
} from '@pawl/runtime/traces';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { createProblemReporter, formatReadingProgress } from '../../output/trace-reading.ts';
import {
  createReportView,
  createAuditJsonView,
  createVerdictsView,
  type AuditSummary,
  type AuditView,
} from './report.ts';
import {
  auditRecordedRun,
  type RunJudge,
  addAuditedRun,
  emptyAuditTotals,
  type AuditPrices,
  type AuditTotals,
} from './result.ts';
import { createRunGroups } from './groups.ts';
import { createHtmlView } from './html.ts';
import { LineOutput } from '../../output/line-output.ts';
import { formatCount } from '../../output/format-number.ts';
import { parseChoice, parseDecimalOption, parseWholeNumberOption } from '../../options/parse-options.ts';

export type AuditOptions = {
  /** Output format: report, json or verdicts. */
  readonly format: string;
  /** Preset whose rules judge the runs; pawl by default. */
  readonly preset?: string;
  /** Input and output price per 1M tokens. */
  readonly priceIn?: string;
  readonly priceOut?: string;
  /** Which runs to list: stuck; all by default. */
  readonly only?: string;
  /** How many runs the report lists: a number or all. */
  readonly top?: string;
  /** The file to write an HTML report to. */
  readonly html?: string;
  readonly quiet?: boolean;
  /** List every problem. */
  readonly verbose?: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal;
  /** The machine on which to look for sessions; this one by default. */
  readonly environment?: SessionEnvironment;
};

/** Finds where recorded runs got stuck and what that cost; the exit code says whether any did. */
export async function auditFiles(
  files: readonly string[],
  options: AuditOptions,
  io: CommandIo,
  judge: RunJudge = createRunJudge(options.preset ?? 'pawl'),
): Promise<ExitCode> {
  const settings = parseAuditSettings(options);
  const { folders, sources } = await findAuditInput(files, options.environment);
  const stop = new AbortController();
  const output = new LineOutput(io.stdout, () => stop.abort());
  const problems = createProblemReporter(io.stderr, settings.isVerbose ? Infinity : undefined);
  const progress = createProgressLine(settings.isQuiet ? silentStream : io.stderr);
  const hasListedProblems = !settings.isQuiet && (folders.length === 0 || settings.isVerbose);
  const onProblem: AuditView['problem'] = (problem) => {
    progress.clear();
    if (hasListedProblems) problems.report(problem);
  };
  const views = await createAuditViews(settings, { io, output, onProblem, files });
  const signal = AbortSignal.any([stop.signal, options.signal].filter((each) => each !== undefined));
  const found = await auditTraces(sources, { stdin: io.stdin, signal, progress, views, settings, judge });
  problems.end();
  if (options.signal?.aborted === true) return exitCodes.interrupted;
  const { totals } = found;
  if (!output.closed) requireRuns(files, folders, totals);
  for (const view of views) await view.end({ ...found, folders });
  output.throwFailure();
  return getAuditExitCode(totals);
}

function getAuditExitCode({ runs, stuck, unknown }: AuditTotals): ExitCode {
  if (stuck > 0) return exitCodes.stuck;
  return runs > 0 && unknown === runs ? exitCodes.failed : exitCodes.finished;
}

/** Not a terminal, so no progress is shown on it. */
const silentStream = new PassThrough();

type AuditInput = {
  /** The folders of coding agents; empty if the user named the files. */
  readonly folders: readonly AgentSessionFolder[];
  readonly sources: readonly string[];
};

async function findAuditInput(
  files: readonly string[],
  environment: SessionEnvironment | undefined,
): Promise<AuditInput> {
  if (files.length > 0) return { folders: [], sources: files };
  const folders = await findAgentSessionFolders(environment);
  if (folders.length > 0) return { folders, sources: folders.flatMap((folder) => folder.sources) };
  const searched = listAgentSessionLocations(environment).map(
    ({ agent, path }) => `${JSON.stringify(path)} (${agent})`,
  );
  throw new UsageError(
    `No sessions of a coding agent found on this machine. Specify a file or a folder to audit, or - for standard input. Looked for ${searched.join(', ')}.`,
  );
}

type AuditContext = {
  readonly stdin: Readable;
  readonly signal: AbortSignal;
  readonly progress: ReturnType<typeof createProgressLine>;
  readonly views: readonly AuditView[];
  readonly settings: AuditSettings;
  readonly judge: RunJudge;
};

async function auditTraces(
  sources: readonly string[],
  context: AuditContext,
): Promise<Omit<AuditSummary, 'folders'>> {
  const { stdin, signal, progress, views, settings, judge } = context;
  let totals = emptyAuditTotals;
  const groups = createRunGroups();
  const skipped = createSkippedFileCounter();
  const onProgress = (file: string, bytes: number): void =>
    progress.show(formatReadingProgress(totals.runs, file, bytes));
  for await (const item of readTracesOrThrowUsage(sources, { stdin, signal, onProgress })) {
    skipped.add(item);
    if ('problem' in item) {
      totals = { ...totals, problems: totals.problems + 1 };
      for (const view of views) view.problem(item.problem);
      continue;
    }
    const run = auditRecordedRun(item.run, item.file, judge, settings.prices);
    totals = addAuditedRun(totals, run);
    groups.add(run);
    if (settings.isStuckOnly && run.decisiveVerdict?.isStuck !== true) continue;
    progress.clear();
    for (const view of views) await view.run(run, item.run);
  }
  progress.clear();
  return { totals, groups: groups.list(), skippedFiles: skipped.count() };
}

/** Counts the files with problems and without a run; the items of a file arrive together. */
function createSkippedFileCounter(): { add(item: TraceItem): void; count(): number } {
  let skipped = 0;
  let current: { readonly file: string; readonly hasRun: boolean } | null = null;
  const finishFile = (): void => {
    if (current !== null && !current.hasRun) skipped += 1;
  };
  return {
    add(item) {
      const file = 'problem' in item ? item.problem.file : item.file;
      const hasRun = !('problem' in item);
      if (current?.file === file) current = { file, hasRun: current.hasRun || hasRun };
      else {
        finishFile();
        current = { file, hasRun };
      }
    },
    count() {
      finishFile();
      current = null;
      return skipped;
    },
  };
}

type AuditSettings = {
  readonly format: AuditFormat;
  readonly prices: AuditPrices;
  readonly isStuckOnly: boolean;
  /** How many runs to list; null for the default. */
  readonly runsMax: number | null;
  readonly html: string | null;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
};

function parseAuditSettings(options: AuditOptions): AuditSettings {
  const format = parseAuditFormat(options.format);
  if (options.top !== undefined && format !== 'report' && options.html === undefined)
    throw new UsageError(`--top applies to the report and to --html, not to the format ${format}.`);
  return {
    format,
    prices: parseAuditPrices(options),
    isStuckOnly: options.only !== undefined && parseChoice('selection', options.only, ['stuck']) === 'stuck',
    runsMax: options.top === undefined ? null : parseTopOption(options.top),
    html: options.html ?? null,
    isQuiet: options.quiet === true,
    isVerbose: options.verbose === true,
  };
}

function parseTopOption(value: string): number {
  if (value === 'all') return Infinity;
  if (/^[1-9]\d*$/.test(value)) return parseWholeNumberOption('--top', value, 1);
  throw new UsageError(`--top must be a whole number of at least 1, or all, got ${JSON.stringify(value)}.`);
}

/** How many runs the report lists by default: about a screen with their evidence. */
const reportRunsMax = 10;

type AuditViewOptions = {
  readonly io: CommandIo;
  readonly output: LineOutput;
  readonly onProblem: AuditView['problem'];
  readonly files: readonly string[];
};

async function createAuditViews(
  settings: AuditSettings,
  options: AuditViewOptions,
): Promise<readonly AuditView[]> {
  const view = createFormatView(settings, options);
  if (settings.html === null) return [view];
  const runsMax = settings.runsMax ?? Infinity;
  const { files, io } = options;
  const html = { path: settings.html, files, runsMax, at: Date.now(), stderr: io.stderr };
  return [view, await createHtmlView(html)];
}

function createFormatView(
  { format, prices, isStuckOnly, isQuiet, runsMax }: AuditSettings,
  { io, output, onProblem }: AuditViewOptions,
): AuditView {
  switch (format) {
    case 'report':
      return createReportView(io, output, {
        isQuiet,
        hasInputPrice: prices.input !== null,
        runsMax: runsMax ?? reportRunsMax,
        isStuckOnly,
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

/** Throws a usage error if nothing was audited. */
function requireRuns(
  files: readonly string[],
  folders: readonly AgentSessionFolder[],
  totals: AuditTotals,
): void {
  if (totals.runs === 0) throw new UsageError(formatNoRunsMessage(files, folders, totals));
}

function formatNoRunsMessage(
  files: readonly string[],
  folders: readonly AgentSessionFolder[],
  { problems }: AuditTotals,
): string {
  const failures = problems === 0 ? '' : ` (${formatCount(problems, 'problem')} while reading)`;
  if (folders.length > 0) {
    const found = folders.map(({ agent, path, isReadable }) =>
      isReadable ? `${JSON.stringify(path)} (${agent})` : `${JSON.stringify(path)} (${agent}, unreadable)`,
    );
    return `No recorded runs in ${found.join(', ')}${failures}. Specify a file or a folder to audit.`;
  }
  const source = files.length === 1 ? JSON.stringify(files[0]) : formatCount(files.length, 'file');
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
