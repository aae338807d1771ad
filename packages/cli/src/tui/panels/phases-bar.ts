import { phaseLine, phaseProgress } from '@pawl/core';
import { bar } from '../bar.ts';
import { fitted, seg, type Line } from '../line.ts';
import type { ScreenModel } from '../screen.ts';

/** How far a long task is, on one row; none where there are no phases. */
export function phasesBar({ session: { phases }, now }: ScreenModel, columns: number): readonly Line[] {
  const progress = phaseProgress(phases, now);
  if (progress.current === null && progress.done === 0) return [];
  const { total, done, failed, overdue } = progress;
  const cells = total === null ? [] : [...bar(done / total, Math.min(total, 12), failed > 0 ? 'bad' : 'good'), seg(' ')];
  return [
    fitted([seg(' phases   ', 'dim'), ...cells, seg(phaseLine(progress), overdue ? 'warn' : 'plain')], columns),
  ];
}
