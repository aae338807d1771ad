import { phaseLine, phaseProgress } from '@pawl/core';
import { bar } from '../bar.ts';
import { fitted, rowsOf, seg, type Line, type Segment } from '../line.ts';
import type { ScreenModel } from '../screen.ts';

/** How far a long task is, on one row; none where there are no phases. */
export function phasesBar(model: ScreenModel, columns: number): readonly Line[] {
  const told = toldOf(model);
  if (told === null) return [];
  const gap = told.cells.length === 0 ? [] : [seg(' ')];
  return [fitted([seg(' phases   ', 'dim'), ...told.cells, ...gap, told.line], columns)];
}

const columnRows = 3;

/** The same in a few rows. */
export function phasesColumn(model: ScreenModel, columns: number): readonly Line[] {
  const told = toldOf(model);
  if (told === null) return [];
  const { line, cells } = told;
  const rows = rowsOf(line.text, columns - 2).slice(0, columnRows);
  return [
    ...(cells.length === 0 ? [] : [[seg(' '), ...cells]]),
    ...rows.map((row) => fitted([seg(' '), { ...line, text: row }], columns)),
  ];
}

function toldOf({
  session: { phases },
  now,
}: ScreenModel): { readonly cells: Line; readonly line: Segment } | null {
  const progress = phaseProgress(phases, now);
  const { current, total, done, failed, overdue } = progress;
  if (current === null && done === 0) return null;
  const cells = total === null ? [] : bar(done / total, Math.min(total, 12), failed > 0 ? 'bad' : 'good');
  return { cells, line: seg(phaseLine(progress), overdue ? 'warn' : 'plain') };
}
