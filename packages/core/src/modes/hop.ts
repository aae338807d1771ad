import { refusedMove } from '../trackers/machine.ts';
import { quoted } from './chart-error.ts';
import { goTo } from './go-to.ts';
import type { Happening } from './happening.ts';
import { safeState, type Mode } from './mode.ts';
import { stateNamed, type ModeChart } from './mode-chart.ts';
import { fallen, gone, isPaging, stayed, unfit, type Hop, type Place } from './place.ts';
import { replyFailed, replyRead, resultsIn } from './reply.ts';

/** Takes in one thing that happened. Pure: the same happenings always give the same mode, and nothing is ever thrown. */
export function hop(chart: ModeChart, mode: Mode, happening: Happening): Hop {
  const at = Number.isFinite(happening.at) ? happening.at : mode.enteredAt;
  const here = stateNamed(chart, mode.state);
  return here === undefined
    ? lost(chart, mode, { ...happening, at })
    : hopIn({ chart, mode, here, at }, happening);
}

function hopIn(place: Place, happening: Happening): Hop {
  if (place.here.terminal && happening.type !== 'ticked') return over(place, happening);
  switch (happening.type) {
    case 'reply-read':
      return replyRead(place, happening);
    case 'reply-failed':
      return replyFailed(place, happening.reason);
    case 'results-in':
      return resultsIn(place, happening);
    case 'paging-needed':
      return pagingNeeded(place);
    case 'paging-done':
      return pagingDone(place);
    case 'ticked':
      return tick(place);
    case 'stuck-found':
      return stuck(place, happening.cause);
    case 'finish-asked':
      return finish(place, happening.cause);
    case 'move-asked':
      return goTo(place, happening.to, { cause: happening.cause, isModel: false });
    default:
      return happening satisfies never;
  }
}

/**
 * A mode that was kept by somebody else, or for another chart. Nothing can be said about what happens in it, so it is put
 * right, and that is all.
 */
function lost(chart: ModeChart, before: Mode, happening: Happening): Hop {
  const to = safeState(chart);
  const error = `${quoted(before.state)} is not a state of ${chart.name}; reset to ${to}`;
  const mode = { ...before, chart: chart.name };
  const refused = toolsOf(happening);
  return fallen({ mode, at: happening.at }, { to, cause: 'unknown state', error, refused });
}

function over(place: Place, happening: Happening): Hop {
  return unfit(place, `${place.here.name} is the end, and nothing follows it`, toolsOf(happening));
}

function toolsOf(happening: Happening): readonly string[] {
  return happening.type === 'reply-read' ? happening.tools : [];
}

function tick(place: Place): Hop {
  const { chart, mode } = place;
  if (chart.maxIterations !== null && mode.iterations >= chart.maxIterations)
    return unfit(place, `all ${chart.maxIterations} iterations are used up`);
  return stayed({ ...mode, steps: mode.steps + 1, iterations: mode.iterations + 1 });
}

function pagingNeeded(place: Place): Hop {
  const { chart, here, mode } = place;
  if (isPaging(place)) return stayed(mode);
  if (chart.paging === null) return unfit(place, `${chart.name} has no state for paging`);
  if (!here.next.includes(chart.paging.state))
    return unfit(place, refusedMove(here.name, chart.paging.state, here.next));
  return gone(place, [chart.paging.state], 'paging needed');
}

function pagingDone(place: Place): Hop {
  const { paging } = place.chart;
  if (paging === null || !isPaging(place))
    return unfit(place, `no paging is under way in ${place.here.name}`);
  return gone(place, [paging.next], 'paging done');
}

function stuck(place: Place, cause: string): Hop {
  const { here } = place;
  if (here.stuckState === null) return unfit(place, `${here.name} has no state to fall to when stuck`);
  return gone(place, [here.stuckState], cause);
}

function finish(place: Place, cause: string): Hop {
  const { chart, here } = place;
  if (chart.finish === null) return unfit(place, `${chart.name} has no state to finish in`);
  if (!here.next.includes(chart.finish.state))
    return unfit(place, refusedMove(here.name, chart.finish.state, here.next));
  return gone(place, [chart.finish.state], cause);
}
