import type { leaveOneOut } from './leave-one-out.ts';
import { columns, type Score } from './score.ts';

/** The scores of all detectors on some runs. */
export type Table = {
  readonly title: string;
  readonly runs: number;
  readonly rows: readonly (Score & { readonly name: string })[];
};

export function tableLines({ title, runs, rows }: Table): readonly string[] {
  return [
    '',
    `${title}: ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    line('detector', columns),
    ...rows.map((row) => line(row.name, shown(row))),
  ];
}

export function heldOutLines(held: ReturnType<typeof leaveOneOut>): readonly string[] {
  return [
    '',
    'fitted on the other sources, scored on this one (and as shipped)',
    line('held out', columns),
    ...held.flatMap(({ source, fitted, shipped, ends }) => [
      `${line(source, shown(fitted))}   ends at ${ends}`,
      line('  as shipped', shown(shipped)),
    ]),
  ];
}

function shown(score: Score): readonly string[] {
  return columns.map((column) => score[column]?.toFixed(1) ?? '-');
}

function line(name: string, cells: readonly string[]): string {
  return name.slice(0, 25).padEnd(26) + cells.map((cell) => cell.padStart(7)).join('');
}
