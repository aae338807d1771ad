import { describeRefusedTransition } from '@pawl/governor';
import { quoteText } from './chart-error.ts';
import { matchStateName, formatNameList, listSelectableNames } from './state-names.ts';
import {
  transitionToStates,
  handleInvalidTransition,
  type ModeTransition,
  type ModeContext,
} from './mode-context.ts';

/** Moves to a state requested by name; the model may only request selectable states. */
export function transitionToNamedState(
  place: ModeContext,
  name: string,
  { cause, isModel }: { readonly cause: string; readonly isModel: boolean },
): ModeTransition {
  const { chart, here } = place;
  const next = isModel ? listSelectableNames(chart, here) : here.next;
  const to = matchStateName(chart, name);
  if (to === undefined)
    return handleInvalidTransition(
      place,
      `there is no state ${quoteText(name.trim())}; ${here.name} is followed by ${formatNameList(next, 'nothing')}`,
    );
  if (!next.includes(to.name))
    return handleInvalidTransition(place, describeRefusedTransition(here.name, to.name, next));
  return transitionToStates(place, [to.name], cause);
}
