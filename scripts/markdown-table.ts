/** Renders a Markdown table with aligned columns, as the formatter requires. */
export function renderAlignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = head.map((_, column) =>
    lines.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  return lines
    .toSpliced(1, 0, rule)
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}
