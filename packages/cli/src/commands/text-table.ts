import { cell } from './columns.ts';

export type TextTable = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** The first column is for names, the others for numbers. Without rows there is no table. */
export function tableLines({ title, head, rows }: TextTable, rowsMax: number): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, rowsMax);
  const widths = head.map((name, column) =>
    Math.min(nameMax, Math.max(name.length, ...shown.map((row) => row[column]?.length ?? 0))),
  );
  const line = (row: readonly string[]): string =>
    `  ${row.map((text, column) => cell(text, widths[column] ?? 0, column === 0 ? 'left' : 'right')).join('  ')}`;
  const more = rows.length > rowsMax ? [`  and ${rows.length - rowsMax} more: --json has them all`] : [];
  return ['', title, line(head), ...shown.map(line), ...more].map((each) => each.trimEnd());
}

const nameMax = 60;
