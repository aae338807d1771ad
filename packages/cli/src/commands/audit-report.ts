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
  readonly tellProblem: AuditView['problem'];
};

/** Human-readable report: a table of runs as they arrive, then the evidence for the stuck runs, then the totals. */
export function createReportView(io: CommandIo, output: LineOutput, options: AuditReportOptions): AuditView {
  const width = getOutputWidth(io.stdout);
  const table = createRunTable(width);
  const proofs: (readonly string[])[] = [];
  let hasHead = false;
  return {
    async run(run) {
      if (!hasHead) await output.write(styleText('bold', table.head, { stream: io.stdout }));
      hasHead = true;
      const isStuck = run.finding?.isStuck === true;
      const row = table.row(run);
      await output.write(isStuck ? styleText('red', row, { stream: io.stdout }) : row);
      if (isStuck && run.finding !== null && proofs.length < maxEvidenceBlocks && !options.isQuiet) {
        proofs.push(formatVerdictEvidence(run, run.finding, width));
      }
    },
    problem: options.tellProblem,
    async end(totals) {
      for (const lines of proofs) await output.write(['', ...lines].join('\n'));
      const hidden = options.isQuiet ? 0 : totals.stuck - proofs.length;
      if (hidden > 0)
        await output.write(
          `\n${formatCount(hidden, 'more stuck run')} without proof here; --format json has them all`,
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
    row: ({ id: name, cost, finding }) =>
      joinCells([
        formatCell(truncateStart(name, id), id),
        formatCell(String(cost.steps), steps, 'right'),
        formatCell(finding?.level ?? 'ok', verdict),
        formatCell(finding?.rule ?? '', rule),
        formatCell(finding === null ? '' : String(finding.since), since, 'right'),
        finding === null ? '' : truncateColumns(formatRunCost(finding.after), after),
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
          `${formatCount(withoutInput, 'run')} without input tokens in the trace: their price is that of the output alone`,
        ]
      : []),
    ...(problems === 0 ? [] : [`${formatCount(problems, 'problem')} in what was read`]),
  ];
}
