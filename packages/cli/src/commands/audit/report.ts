import type { RecordedRun } from '@pawl/governor/traces';
import type { AgentSessionFolder, TraceReadProblem } from '@pawl/runtime/traces';
import { styleText } from 'node:util';
import {
  type AuditedRun,
  type AuditTotals,
  buildVerdictProof,
  formatPlainMoney,
  formatRunCost,
  formatTokenCount,
  isUnknownRun,
  type EvidenceCall,
} from './result.ts';
import { createRunRanking, type RankedRun } from './ranking.ts';
import type { AuditGroups, WasteGroup } from './groups.ts';
import type { LineOutput } from '../../output/line-output.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { formatCell, formatTextTable, truncateColumns, getOutputWidth } from '../../output/columns.ts';
import { formatCount, formatShare } from '../../output/format-number.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';

/** Reports runs as they are judged. */
export type AuditView = {
  /** `recorded` is the judged run as it was read; it must not be kept. */
  run(run: AuditedRun, recorded: RecordedRun): Promise<void>;
  problem(problem: TraceReadProblem): void;
  end(summary: AuditSummary): Promise<void>;
};

/** What an audit found in all runs. */
export type AuditSummary = {
  readonly totals: AuditTotals;
  readonly groups: AuditGroups;
  /** The folders of coding agents that were found; empty if the user named the files. */
  readonly folders: readonly AgentSessionFolder[];
  /** Files in these folders that contain no run. */
  readonly skippedFiles: number;
};

/** Writes one line per run, in the format that detector scoring reads. */
export function createVerdictsView(output: LineOutput, onProblem: AuditView['problem']): AuditView {
  return {
    run: ({ id, verdicts }) => output.write(JSON.stringify({ id, verdicts: verdicts.map(toVerdictJson) })),
    problem: onProblem,
    end: async () => undefined,
  };
}

/** Maximum number of problems in the JSON object; the totals count all of them. */
const maxJsonProblems = 1_000;

/** Writes one JSON object incrementally, so that no run stays in memory after it is written. */
export function createAuditJsonView(output: LineOutput): AuditView {
  const problems: TraceReadProblem[] = [];
  let runs = 0;
  return {
    async run(run, recorded) {
      await output.write(`${runs === 0 ? '{"runs":[\n' : ','}${JSON.stringify(toRunJson(run, recorded))}`);
      runs += 1;
    },
    problem(problem) {
      if (problems.length < maxJsonProblems) problems.push(problem);
    },
    async end({ totals, groups, folders }) {
      await output.write(`${runs === 0 ? '{"runs":[' : ''}],"totals":${JSON.stringify(totals)},`);
      await output.write(`"problems":${JSON.stringify(problems)},`);
      await output.write(
        `"groups":${JSON.stringify(groups)},"folders":${JSON.stringify(folders.map(toFolderJson))}}`,
      );
    },
  };
}

function toRunJson(
  { cost, verdicts, decisiveVerdict, startedAt, ...run }: AuditedRun,
  recorded: RecordedRun,
): object {
  const { isStuck = false, ...finding } = decisiveVerdict ?? {};
  return {
    ...run,
    startedAt,
    stuck: isStuck,
    ...cost,
    finding:
      decisiveVerdict === null ? null : { ...finding, proof: buildVerdictProof(recorded, decisiveVerdict) },
    verdicts: verdicts.map(toVerdictJson),
  };
}

function toVerdictJson({ step, severity, rule }: AuditedRun['verdicts'][number]): object {
  // Scoring scripts read the severity as `level`.
  return { step, level: severity, rule };
}

function toFolderJson({ agent, path, isReadable }: AgentSessionFolder): object {
  return { agent, path, readable: isReadable };
}

/** Maximum number of stuck runs shown with evidence; they stay in memory until the report is written. */
export const evidenceRunsMax = 1_000;

type AuditReportOptions = {
  readonly isQuiet: boolean;
  readonly hasInputPrice: boolean;
  /** How many runs the table shows. */
  readonly runsMax: number;
  readonly isStuckOnly: boolean;
  readonly onProblem: AuditView['problem'];
};

/** Human-readable report: the totals, where tokens were wasted, the worst runs, and the evidence for the stuck ones. */
export function createReportView(io: CommandIo, output: LineOutput, options: AuditReportOptions): AuditView {
  const width = getOutputWidth(io.stdout);
  const ranking = createRunRanking(options.runsMax);
  const stuckRanking = createRunRanking(Math.min(options.runsMax, evidenceRunsMax));
  const writeAll = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) await output.write(line);
  };
  return {
    async run(run, recorded) {
      const { decisiveVerdict } = run;
      const isStuck = decisiveVerdict?.isStuck === true;
      ranking.add(run, () => []);
      if (isStuck && !options.isQuiet)
        stuckRanking.add(run, () => buildVerdictProof(recorded, decisiveVerdict));
    },
    problem: options.onProblem,
    async end(summary) {
      await writeAll(formatFolders(summary.folders, width));
      await writeAll(formatAuditTotals(summary, options));
      if (!options.isQuiet) await writeAll(formatGroups(summary.groups, width));
      await output.write('');
      const rows = ranking.list();
      await writeAll(formatRunRows(rows, { width, stream: io.stdout }));
      const { runs, stuck } = summary.totals;
      const hidden = (options.isStuckOnly ? stuck : runs) - rows.length;
      if (hidden > 0)
        await output.write(
          `${formatCount(hidden, 'more run')} (${formatStuckCount(stuck, rows)}): --top all lists them`,
        );
      if (options.isQuiet) return;
      const shown = stuckRanking.list();
      for (const each of shown) await writeAll(['', ...formatVerdictEvidence(each, width)]);
      const withoutEvidence = rows.filter(({ run }) => run.decisiveVerdict?.isStuck).length - shown.length;
      if (withoutEvidence > 0)
        await output.write(
          `\nEvidence for ${formatCount(withoutEvidence, 'more stuck run')} not shown; use --format json for all of it`,
        );
    },
  };
}

function formatStuckCount(stuck: number, rows: readonly RankedRun[]): string {
  return `${stuck - rows.filter(({ run }) => run.decisiveVerdict?.isStuck).length} stuck`;
}

/** Names the folders that were read because the user named none. */
function formatFolders(folders: readonly AgentSessionFolder[], width: number): readonly string[] {
  if (folders.length === 0) return [];
  const agentWidth = Math.max(...folders.map(({ agent }) => agent.length));
  const lines = folders.map(({ agent, path, isReadable }) =>
    truncateColumns(
      `${formatCell(agent, agentWidth)}  ${path}${isReadable ? '' : ' (cannot be read; check its permissions)'}`,
      Math.max(width, agentWidth + 2 + path.length),
    ),
  );
  return [...lines, ''];
}

/** Maximum number of rules and of tools in the report. */
const groupRowsMax = 10;

function formatGroups({ rules, tools }: AuditGroups, width: number): readonly string[] {
  return [...formatGroupTable('rule', rules, width), ...formatGroupTable('tool', tools, width)];
}

/** The columns of a group besides its name. */
const groupNumbersWidth = 44;

function formatGroupTable(name: string, groups: readonly WasteGroup[], width: number): readonly string[] {
  const hasMoney = groups.some(({ wasted }) => wasted.money !== null);
  return formatTextTable(
    {
      title: `By ${name}`,
      head: [name, 'stuck runs', 'wasted tokens', ...(hasMoney ? ['wasted cost'] : [])],
      rows: groups.map(({ name: each, stuck, wasted }) => [
        truncateColumns(each, Math.max(12, width - groupNumbersWidth)),
        stuck.toLocaleString('en'),
        formatTokenCount(wasted.tokens),
        ...(hasMoney ? [formatPlainMoney(wasted.money ?? 0)] : []),
      ]),
    },
    groupRowsMax,
  );
}

type RunTableOptions = { readonly width: number; readonly stream: CommandIo['stdout'] };

function formatRunRows(ranked: readonly RankedRun[], { width, stream }: RunTableOptions): readonly string[] {
  if (ranked.length === 0) return ['No stuck runs.'];
  const table = createRunTable(width);
  return [
    styleText('bold', table.head, { stream }),
    ...ranked.map(({ run }) => {
      const row = table.row(run);
      return run.decisiveVerdict?.isStuck === true ? styleText('red', row, { stream }) : row;
    }),
  ];
}

type RunTable = { readonly head: string; readonly row: (run: AuditedRun) => string };

/** The id column takes the remaining width and is cut at the start, because ids usually differ at the end. */
function createRunTable(width: number): RunTable {
  const [steps, verdict, rule, since, after] = [6, 7, 18, 6, width < 110 ? 18 : 34];
  const id = Math.max(12, width - steps - verdict - rule - since - after - 12);
  const head = [
    formatCell('run', id),
    formatCell('steps', steps, 'right'),
    formatCell('verdict', verdict),
    formatCell('rule', rule),
  ];
  return {
    head: joinCells([...head, formatCell('since', since, 'right'), 'cost after']),
    row: (run) => {
      const { id: name, cost, decisiveVerdict } = run;
      return joinCells([
        formatCell(truncateStart(name, id), id),
        formatCell(String(cost.steps), steps, 'right'),
        formatCell(decisiveVerdict?.severity ?? (isUnknownRun(run) ? 'unknown' : 'ok'), verdict),
        formatCell(decisiveVerdict?.rule ?? '', rule),
        formatCell(decisiveVerdict === null ? '' : String(decisiveVerdict.since), since, 'right'),
        decisiveVerdict === null ? '' : truncateColumns(formatRunCost(decisiveVerdict.after), after),
      ]);
    },
  };
}

function joinCells(cells: readonly string[]): string {
  return cells.join('  ').trimEnd();
}

function truncateStart(id: string, width: number): string {
  return id.length <= width ? id : `…${id.slice(1 - width)}`;
}

function formatAuditTotals(
  { totals, skippedFiles, folders }: AuditSummary,
  { hasInputPrice }: AuditReportOptions,
): readonly string[] {
  const { runs, stuck, warned, unknown, cost, after, withoutInput, problems } = totals;
  const fine = runs - stuck - warned - unknown;
  const known = `${stuck} stuck, ${warned} warned, ${fine} fine${unknown === 0 ? '' : `, ${unknown} unknown`}`;
  const share = cost.tokens === 0 ? '' : ` (${formatShare(after.tokens / cost.tokens)} of the tokens)`;
  return [
    `${formatCount(runs, 'run')}: ${known}; ${formatRunCost(cost)}`,
    ...(unknown === 0 ? [] : [formatUnknownRuns(unknown, folders.length > 0)]),
    ...formatInputTokens(totals),
    ...(stuck === 0 ? [] : [`wasted after the verdicts that end a run: ${formatRunCost(after)}${share}`]),
    ...(hasInputPrice && withoutInput > 0
      ? [
          `${formatCount(withoutInput, 'run')} without input tokens in the trace: their cost covers output tokens only`,
        ]
      : []),
    ...(folders.length === 0
      ? [problems]
          .filter((count) => count > 0)
          .map((count) => `${formatCount(count, 'problem')} while reading`)
      : formatSkippedFiles(skippedFiles)),
  ];
}

function formatUnknownRuns(count: number, isUnlisted: boolean): string {
  const hint = isUnlisted ? '; --verbose lists what' : '; the problems say what';
  return `a part of ${formatCount(count, 'run')} could not be read, so whether they got stuck is unknown${hint}`;
}

/** All other counts are output tokens, because the input of each reply contains the whole conversation. */
function formatInputTokens({ runs, withoutInput, cost }: AuditTotals): readonly string[] {
  const { inputTokens, cachedTokens } = cost;
  if (inputTokens === null) return [];
  const source = withoutInput === 0 ? '' : ` (recorded by ${runs - withoutInput} of the runs)`;
  const cached = cachedTokens === null ? '' : `, ${formatTokenCount(cachedTokens)} of them cached`;
  return [`input: ${formatTokenCount(inputTokens)} tokens${cached}${source}`];
}

function formatSkippedFiles(count: number): readonly string[] {
  if (count === 0) return [];
  return [`${formatCount(count, 'file')} skipped; --verbose or --format json lists them`];
}

/** Explains why a run is stuck: the rule, the matching calls side by side, the cost, and the advice. */
function formatVerdictEvidence({ run, proof }: RankedRun, width: number): readonly string[] {
  if (run.decisiveVerdict === null) return [];
  const { rule, severity, step, since, reason, advice, evidence, after, spent } = run.decisiveVerdict;
  const hidden = evidence.length - proof.length;
  return [
    truncateColumns(run.id, width),
    `  ${rule}: ${severity} after step ${step}, stuck since step ${since}`,
    `  ${sanitizeOneLine(reason)}.`,
    `  advice: ${sanitizeOneLine(advice)}`,
    ...formatCallTable(proof, width),
    ...(hidden > 0 ? [`  and ${formatCount(hidden, 'more call like these', 'more calls like these')}`] : []),
    `  from step ${since} on: ${formatRunCost(spent)}; after the verdict: ${formatRunCost(after)}`,
  ];
}

const stepWidth = 6;
const minResultWidth = 20;

function formatCallTable(calls: readonly EvidenceCall[], width: number): readonly string[] {
  const toolWidth = Math.min(24, Math.max(4, ...calls.map(({ tool }) => tool.length)));
  const left = width - 2 - stepWidth - 2 - toolWidth - 2;
  const argsWidth = Math.max(10, Math.floor((left - 2) / 2));
  const resultWidth = Math.max(minResultWidth, left - 2 - argsWidth);
  const row = (step: string, tool: string, args: string, result: string): string =>
    `  ${formatCell(step, stepWidth, 'right')}  ${formatCell(tool, toolWidth)}  ${formatCell(args, argsWidth)}  ${truncateColumns(result, resultWidth)}`;
  return [
    row('step', 'tool', 'arguments', 'outcome'),
    ...calls.map(({ step, tool, args, result, error }) =>
      row(String(step), tool, args, error ? `error: ${result}` : result),
    ),
  ].map((line) => line.trimEnd());
}
