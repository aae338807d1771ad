import type { LeaveOneFamilyOut, RulePayoff } from './leave-one-out.ts';
import { scoreColumns, type IntervalScore } from './score.ts';

/** The scores of all detectors on a set of runs. */
export type ScoreTable = {
  readonly title: string;
  readonly runs: number;
  readonly rows: readonly (IntervalScore & { readonly name: string })[];
};

/** `withIntervals` adds a line below each score with the bounds of its 95 % intervals. */
export function formatScoreTable(
  { title, runs, rows }: ScoreTable,
  withIntervals: boolean,
): readonly string[] {
  return [
    '',
    `${title}: ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    formatScoreLine('detector', scoreColumns),
    ...rows.flatMap((row) => formatScore(row.name, row, withIntervals)),
  ];
}

export function formatLeaveOneFamilyOut({ families, fitted, shipped }: LeaveOneFamilyOut): readonly string[] {
  return [
    '',
    'leave one family out: thresholds fitted on all other families, scored on this one',
    formatScoreLine('held out', scoreColumns),
    ...families.flatMap(({ family, fitted: score, differences }) =>
      formatScore(
        family,
        score,
        false,
        differences.length === 0 ? 'as shipped' : `fitted: ${differences.join(', ')}`,
      ),
    ),
    ...formatScore('all families, held out', fitted, true),
    ...formatScore('all families, as shipped', shipped, true),
  ];
}

export function formatRulePayoffs(payoffs: readonly RulePayoff[]): readonly string[] {
  return [
    '',
    'rules: families in which their verdicts favor failing runs, of those with verdicts; what only they save and warn',
    ...payoffs.map(
      ({ rule, verdictFamilies, families, savedSteps, warnedRuns }) =>
        `${rule.padEnd(20)} ${String(families.length).padStart(3)} of ${String(verdictFamilies).padEnd(3)} families ${String(savedSteps).padStart(6)} steps ${String(warnedRuns).padStart(5)} runs   ${families.join(', ')}`,
    ),
  ];
}

function formatScore(
  name: string,
  score: IntervalScore,
  withIntervals: boolean,
  remark = '',
): readonly string[] {
  const cells = scoreColumns.map((column) => score[column]?.toFixed(1) ?? '-');
  const line = formatScoreLine(name, cells);
  const first = remark === '' ? line : `${line}   ${remark}`;
  if (!withIntervals) return [first];
  const bounds = [0, 1].map((index) =>
    scoreColumns.map((column) => score.intervals[column]?.[index]?.toFixed(1) ?? '-'),
  );
  const [low = [], high = []] = bounds;
  return [first, formatScoreLine('  from', low), formatScoreLine('  to', high)];
}

function formatScoreLine(name: string, cells: readonly string[]): string {
  return name.slice(0, 25).padEnd(26) + cells.map((cell) => cell.padStart(7)).join('');
}
