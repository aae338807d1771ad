import { formatCell } from './columns.ts';

export type TextTable = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** The first column holds names, the others numbers. Without rows there is no table. */
export function formatTextTable({ title, head, rows }: TextTable, rowsMax: number): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, rowsMax);
  const widths = head.map((name, column) =>
    Math.min(maxTableCell, Math.max(name.length, ...shown.map((row) => row[column]?.length ?? 0))),
  );
  const line = (row: readonly string[]): string =>
    `  ${row.map((text, column) => formatCell(text, widths[column] ?? 0, column === 0 ? 'left' : 'right')).join('  ')}`;
  const more = rows.length > rowsMax ? [`  ${rows.length - rowsMax} more; use --json for all`] : [];
  return ['', title, line(head), ...shown.map(line), ...more].map((each) => each.trimEnd());
}

const maxTableCell = 60;
