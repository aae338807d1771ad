import { styleText } from 'node:util';
import type { Io } from '../io.ts';
import { proofLines } from './audit-proof.ts';
import type { AuditedRun } from './audit-result.ts';
import type { AuditTotals } from './audit-totals.ts';
import type { AuditView } from './audit-view.ts';
import type { LineOutput } from './line-output.ts';
import { cell, fit, widthOf } from './columns.ts';
import { counted } from './number-text.ts';
import { costText } from './audit-cost.ts';

/** How many stuck runs are shown with their proofs; they are kept until the table has ended. */
const proofsMax = 1_000;

type ReportOptions = {
  readonly isQuiet: boolean;
  readonly hasInputPrice: boolean;
  readonly tellProblem: AuditView['problem'];
};

/** For a person: a table of the runs as they come, then why the stuck ones are stuck, and what it all comes to. */
export function reportView(io: Io, output: LineOutput, options: ReportOptions): AuditView {
  const width = widthOf(io.stdout);
  const table = tableOf(width);
  const proofs: (readonly string[])[] = [];
  let hasHead = false;
  return {
    async run(run) {
      if (!hasHead) await output.write(styleText('bold', table.head, { stream: io.stdout }));
      hasHead = true;
      const isStuck = run.finding?.isStuck === true;
      const row = table.row(run);
      await output.write(isStuck ? styleText('red', row, { stream: io.stdout }) : row);
      if (isStuck && run.finding !== null && proofs.length < proofsMax && !options.isQuiet) {
        proofs.push(proofLines(run, run.finding, width));
      }
    },
    problem: options.tellProblem,
    async end(totals) {
      for (const lines of proofs) await output.write(['', ...lines].join('\n'));
      const hidden = options.isQuiet ? 0 : totals.stuck - proofs.length;
      if (hidden > 0)
        await output.write(
          `\n${counted(hidden, 'more stuck run')} without proof here; --format json has them all`,
        );
      await output.write(`\n${totalLines(totals, options).join('\n')}`);
    },
  };
}

type Table = { readonly head: string; readonly row: (run: AuditedRun) => string };

/** The id gets what the other columns leave; its end tells runs apart more often than its beginning. */
function tableOf(width: number): Table {
  const [steps, verdict, rule, since, after] = [6, 7, 18, 6, width < 110 ? 18 : 34];
  const id = Math.max(12, width - steps - verdict - rule - since - after - 12);
  const head = [cell('run', id), cell('steps', steps, 'right'), cell('verdict', verdict), cell('rule', rule)];
  return {
    head: line([...head, cell('since', since, 'right'), 'cost after']),
    row: ({ id: name, cost, finding }) =>
      line([
        cell(ending(name, id), id),
        cell(String(cost.steps), steps, 'right'),
        cell(finding?.level ?? 'ok', verdict),
        cell(finding?.rule ?? '', rule),
        cell(finding === null ? '' : String(finding.since), since, 'right'),
        finding === null ? '' : fit(costText(finding.after), after),
      ]),
  };
}

function line(cells: readonly string[]): string {
  return cells.join('  ').trimEnd();
}

function ending(id: string, width: number): string {
  return id.length <= width ? id : `…${id.slice(1 - width)}`;
}

function totalLines(totals: AuditTotals, { hasInputPrice }: ReportOptions): readonly string[] {
  const { runs, stuck, warned, cost, after, withoutInput, problems } = totals;
  const fine = runs - stuck - warned;
  return [
    `${counted(runs, 'run')}: ${stuck} stuck, ${warned} warned, ${fine} fine; ${costText(cost)}`,
    ...(stuck === 0 ? [] : [`after the verdicts that end a run: ${costText(after)}`]),
    ...(hasInputPrice && withoutInput > 0
      ? [
          `${counted(withoutInput, 'run')} without input tokens in the trace: their price is that of the output alone`,
        ]
      : []),
    ...(problems === 0 ? [] : [`${counted(problems, 'problem')} in what was read`]),
  ];
}
