import { refusedMove } from '../trackers/machine.ts';
import { quoted } from './chart-error.ts';
import { findState, listed, selectableNext } from './names.ts';
import { gone, invalid, type Hop, type Place } from './place.ts';

/** To a state that is asked for by name, by the model only if it may choose it. */
export function goTo(
  place: Place,
  name: string,
  { cause, isModel }: { readonly cause: string; readonly isModel: boolean },
): Hop {
  const { chart, here } = place;
  const next = isModel ? selectableNext(chart, here) : here.next;
  const to = findState(chart, name);
  if (to === undefined)
    return invalid(
      place,
      `there is no state ${quoted(name.trim())}; ${here.name} is followed by ${listed(next, 'nothing')}`,
    );
  if (!next.includes(to.name)) return invalid(place, refusedMove(here.name, to.name, next));
  return gone(place, [to.name], cause);
}
