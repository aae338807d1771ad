import type { TraceReadProblem } from '@pawl/runtime/traces';
import { styleText } from 'node:util';
import {
  type AuditedRun,
  type AuditTotals,
  formatRunCost,
  type DecisiveVerdict,
  type EvidenceCall,
} from './result.ts';
import type { LineOutput } from '../../output/line-output.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { formatCell, truncateColumns, getOutputWidth } from '../../output/columns.ts';
import { formatCount } from '../../output/format-number.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';

/** Reports runs as they are judged. */
export type AuditView = {
  run(run: AuditedRun): Promise<void>;
  problem(problem: TraceReadProblem): void;
  end(totals: AuditTotals): Promise<void>;
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
    async run(run) {
      await output.write(`${runs === 0 ? '{"runs":[\n' : ','}${JSON.stringify(toRunJson(run))}`);
      runs += 1;
    },
    problem(problem) {
      if (problems.length < maxJsonProblems) problems.push(problem);
    },
    async end(totals) {
      await output.write(`],"totals":${JSON.stringify(totals)},`);
      await output.write(`"problems":${JSON.stringify(problems)}}`);
    },
  };
}

function toRunJson({ cost, verdicts, decisiveVerdict, ...run }: AuditedRun): object {
  const { isStuck = false, ...finding } = decisiveVerdict ?? {};
  return {
    ...run,
    stuck: isStuck,
    ...cost,
    finding: decisiveVerdict === null ? null : finding,
    verdicts: verdicts.map(toVerdictJson),
  };
}

function toVerdictJson({ step, severity, rule }: AuditedRun['verdicts'][number]): object {
  // Scoring scripts read the severity as `level`.
  return { step, level: severity, rule };
}

/** Maximum number of stuck runs shown with evidence; they stay in memory until the table is complete. */
const maxEvidenceBlocks = 1_000;

type AuditReportOptions = {
  readonly isQuiet: boolean;
  readonly hasInputPrice: boolean;
  readonly onProblem: AuditView['problem'];
};

/** Human-readable report: a table of runs as they arrive, then the evidence for the stuck runs, then the totals. */
export function createReportView(io: CommandIo, output: LineOutput, options: AuditReportOptions): AuditView {
  const width = getOutputWidth(io.stdout);
  const table = createRunTable(width);
  const evidenceBlocks: (readonly string[])[] = [];
  let isHeadWritten = false;
  return {
    async run(run) {
      if (!isHeadWritten) await output.write(styleText('bold', table.head, { stream: io.stdout }));
      isHeadWritten = true;
      const { decisiveVerdict } = run;
      const isStuck = decisiveVerdict?.isStuck === true;
      const row = table.row(run);
      await output.write(isStuck ? styleText('red', row, { stream: io.stdout }) : row);
      if (isStuck && evidenceBlocks.length < maxEvidenceBlocks && !options.isQuiet) {
        evidenceBlocks.push(formatVerdictEvidence(run, decisiveVerdict, width));
      }
    },
    problem: options.onProblem,
    async end(totals) {
      for (const lines of evidenceBlocks) await output.write(['', ...lines].join('\n'));
      const hidden = options.isQuiet ? 0 : totals.stuck - evidenceBlocks.length;
      if (hidden > 0)
        await output.write(
          `\nEvidence for ${formatCount(hidden, 'more stuck run')} not shown; use --format json for all of it`,
        );
      await output.write(`\n${formatAuditTotals(totals, options).join('\n')}`);
    },
  };
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
    row: ({ id: name, cost, decisiveVerdict }) =>
      joinCells([
        formatCell(truncateStart(name, id), id),
        formatCell(String(cost.steps), steps, 'right'),
        formatCell(decisiveVerdict?.severity ?? 'ok', verdict),
        formatCell(decisiveVerdict?.rule ?? '', rule),
        formatCell(decisiveVerdict === null ? '' : String(decisiveVerdict.since), since, 'right'),
        decisiveVerdict === null ? '' : truncateColumns(formatRunCost(decisiveVerdict.after), after),
      ]),
  };
}

function joinCells(cells: readonly string[]): string {
  return cells.join('  ').trimEnd();
}

function truncateStart(id: string, width: number): string {
  return id.length <= width ? id : `…${id.slice(1 - width)}`;
}

function formatAuditTotals(totals: AuditTotals, { hasInputPrice }: AuditReportOptions): readonly string[] {
  const { runs, stuck, warned, cost, after, withoutInput, problems } = totals;
  const fine = runs - stuck - warned;
  return [
    `${formatCount(runs, 'run')}: ${stuck} stuck, ${warned} warned, ${fine} fine; ${formatRunCost(cost)}`,
    ...(stuck === 0 ? [] : [`after the verdicts that end a run: ${formatRunCost(after)}`]),
    ...(hasInputPrice && withoutInput > 0
      ? [
          `${formatCount(withoutInput, 'run')} without input tokens in the trace: their cost covers output tokens only`,
        ]
      : []),
    ...(problems === 0 ? [] : [`${formatCount(problems, 'problem')} while reading`]),
  ];
}

/** Explains why a run is stuck: the rule, the matching calls side by side, the cost, and the advice. */
function formatVerdictEvidence(
  { id }: AuditedRun,
  verdict: DecisiveVerdict,
  width: number,
): readonly string[] {
  const { rule, severity, step, since, reason, advice, proof, evidence, after, spent } = verdict;
  const hidden = evidence.length - proof.length;
  return [
    truncateColumns(id, width),
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
