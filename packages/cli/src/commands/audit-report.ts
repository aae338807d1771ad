import { styleText } from 'node:util';
import type { CommandIo } from '../command-io.ts';
import { formatVerdictEvidence } from './audit-evidence.ts';
import type { AuditedRun } from './audit-result.ts';
import type { AuditTotals } from './audit-totals.ts';
import type { AuditView } from './audit-view.ts';
import type { LineOutput } from './line-output.ts';
import { formatCell, truncateColumns, getOutputWidth } from './columns.ts';
import { formatCount } from './format-number.ts';
import { formatRunCost } from './audit-cost.ts';

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
        formatCell(decisiveVerdict?.level ?? 'ok', verdict),
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
