import { storySize } from './frame.ts';
import { seg, type Line } from './line.ts';
import { itemLines } from './panels/transcript.ts';
import type { ScreenModel } from './screen.ts';
import { isSettled } from './story.ts';

/**
 * What has scrolled out of the view of the work and will not change any more: it is written above the view for good, where
 * the terminal keeps it. With `all`, everything that is left, for the end.
 */
export function scrollAway(
  model: ScreenModel,
  all = false,
): { readonly model: ScreenModel; readonly lines: readonly Line[] } {
  const { story } = model;
  const { columns: inView, rows } = storySize(model);
  const columns = Math.max(1, model.size.columns - 1);
  const pending = story.items.filter(({ number }) => number >= story.written);
  const heights = pending.map((item) => itemLines(item, { columns: inView, now: model.now, cardRows: 0 }).length);
  let below = heights.reduce((sum, height) => sum + height, 0);
  const lines: Line[] = [];
  let { written } = story;
  for (const [index, item] of pending.entries()) {
    below -= heights[index] ?? 0;
    if (!all && (!isSettled(item) || below < rows)) break;
    lines.push(...itemLines(item, { columns, now: model.now, cardRows: 0 }));
    written = item.number + 1;
  }
  if (written === story.written && story.lost === 0) return { model, lines: [] };
  const lost: readonly Line[] =
    story.lost === 0 ? [] : [[seg(` … ${story.lost} entries are not shown here; the log has them.`, 'dim')]];
  return { model: { ...model, story: { ...story, written, lost: 0 } }, lines: [...lost, ...lines] };
}
