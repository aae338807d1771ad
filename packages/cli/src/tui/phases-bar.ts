import { formatPhaseLine, computePhaseProgress } from '@pawl/core/phases';
import {
  renderBar,
  truncateLine,
  wrapText,
  createSegment,
  type StyledLine,
  type StyledSegment,
} from './styled-line.ts';
import type { ScreenModel } from './screen-model.ts';

/** Renders phase progress on one row; empty without phases. */
export function renderPhasesBar(model: ScreenModel, columns: number): readonly StyledLine[] {
  const summary = summarizePhases(model);
  if (summary === null) return [];
  const gap = summary.cells.length === 0 ? [] : [createSegment(' ')];
  return [
    truncateLine([createSegment(' phases   ', 'dim'), ...summary.cells, ...gap, summary.line], columns),
  ];
}

const maxPhaseRows = 3;

/** Renders phase progress in a few rows. */
export function renderPhasesColumn(model: ScreenModel, columns: number): readonly StyledLine[] {
  const summary = summarizePhases(model);
  if (summary === null) return [];
  const { line, cells } = summary;
  const rows = wrapText(line.text, columns - 2).slice(0, maxPhaseRows);
  return [
    ...(cells.length === 0 ? [] : [[createSegment(' '), ...cells]]),
    ...rows.map((row) => truncateLine([createSegment(' '), { ...line, text: row }], columns)),
  ];
}

function summarizePhases({
  session: { phases },
  now,
}: ScreenModel): { readonly cells: StyledLine; readonly line: StyledSegment } | null {
  const progress = computePhaseProgress(phases, now);
  const { current, total, completed, failed, overdue } = progress;
  if (current === null && completed === 0) return null;
  const cells =
    total === null ? [] : renderBar(completed / total, Math.min(total, 12), failed > 0 ? 'bad' : 'good');
  return { cells, line: createSegment(formatPhaseLine(progress), overdue ? 'warn' : 'plain') };
}
