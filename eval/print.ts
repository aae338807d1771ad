import type { scoreHeldOutSources } from './leave-one-out.ts';
import { scoreColumns, type DetectorScore } from './score.ts';

/** The scores of all detectors on a set of runs. */
export type ScoreTable = {
  readonly title: string;
  readonly runs: number;
  readonly rows: readonly (DetectorScore & { readonly name: string })[];
};

export function formatScoreTable({ title, runs, rows }: ScoreTable): readonly string[] {
  return [
    '',
    `${title}: ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    formatScoreLine('detector', scoreColumns),
    ...rows.map((row) => formatScoreLine(row.name, formatScoreCells(row))),
  ];
}

export function formatHeldOutScores(held: ReturnType<typeof scoreHeldOutSources>): readonly string[] {
  return [
    '',
    'fitted on the other sources, scored on this one (and as shipped)',
    formatScoreLine('held out', scoreColumns),
    ...held.flatMap(({ source, fitted, shipped, ends }) => [
      `${formatScoreLine(source, formatScoreCells(fitted))}   ends at ${ends}`,
      formatScoreLine('  as shipped', formatScoreCells(shipped)),
    ]),
  ];
}

function formatScoreCells(score: DetectorScore): readonly string[] {
  return scoreColumns.map((column) => score[column]?.toFixed(1) ?? '-');
}

function formatScoreLine(name: string, cells: readonly string[]): string {
  return name.slice(0, 25).padEnd(26) + cells.map((cell) => cell.padStart(7)).join('');
}
