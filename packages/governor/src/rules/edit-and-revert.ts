import type { CallObservation } from '../observations/call-observation.ts';
import type { Rule } from './rule.ts';

/** A file that keeps returning to earlier content. */
export const editAndRevert: Rule = {
  id: 'edit-and-revert',
  rationale:
    'If an edit restores earlier content and the next edit removes it again, the file is where it was, and both ' +
    'versions have been tried. Reverting a change once, or applying it once more, is ordinary work and does not ' +
    'count.',
  unit: 'reverts',
  thresholds: { advise: 2, block: null, stop: 4 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.change === null) return null;
    const { target, to } = last.change;
    const evidence = findReversions(window, target, to);
    return {
      count: evidence.length,
      evidence,
      loop: target,
      reason: `a file was brought back to what it held before, ${evidence.length} times`,
      advice: `You have brought this file back to what it held before ${evidence.length} times. The two versions do not settle it: find out what decides between them before you edit it again.`,
    };
  },
};

/** Returns the changes that restored content which had been replaced. */
function findReversions(
  window: readonly CallObservation[],
  target: string,
  state: string,
): readonly CallObservation[] {
  const found: CallObservation[] = [];
  let wasThere = false;
  let wasLeft = false;
  for (const each of window) {
    if (each.change === null || each.change.target !== target) continue;
    const { from, to } = each.change;
    if (to === state) {
      if (wasLeft) found.push(each);
      wasThere = true;
      wasLeft = false;
    } else if (from === state) {
      // The content was removed, even if it existed before the window.
      wasLeft = true;
    } else if (wasThere && from === null) wasLeft = true;
  }
  return found;
}
