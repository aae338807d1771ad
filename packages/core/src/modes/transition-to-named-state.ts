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
  context: ModeContext,
  name: string,
  { cause, requestedByModel }: { readonly cause: string; readonly requestedByModel: boolean },
): ModeTransition {
  const { chart, state } = context;
  const next = requestedByModel ? listSelectableNames(chart, state) : state.next;
  const target = matchStateName(chart, name);
  if (target === undefined)
    return handleInvalidTransition(
      context,
      `there is no state ${quoteText(name.trim())}; ${state.name} is followed by ${formatNameList(next, 'nothing')}`,
    );
  if (!next.includes(target.name))
    return handleInvalidTransition(context, describeRefusedTransition(state.name, target.name, next));
  return transitionToStates(context, [target.name], cause);
}
