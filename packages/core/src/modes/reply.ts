import { clip, quoted } from './chart-error.ts';
import { goTo } from './go-to.ts';
import type { FactOf } from './happening.ts';
import { allows, stateNamed, type Hops } from './mode-chart.ts';
import { listed, selectableNext } from './names.ts';
import { failed, fallen, gone, invalid, isPaging, stayed, unfit, type Hop, type Place } from './place.ts';
import { routeOf } from './route.ts';

type ByReply = Extract<Hops, { readonly by: 'reply' }>;

export function replyRead(place: Place, fact: FactOf<'reply-read'>): Hop {
  const { chart, here } = place;
  const { tools, nextState, words } = fact;
  if (isPaging(place)) return unfit(place, `${here.name} is under way, so the reply is dropped`, tools);
  if (chart.oneAction && tools.length > 1)
    return invalid(place, `one action at a time: the reply has ${tools.length}`, tools);
  if (tools.length > 0)
    return chart.hops.by === 'tool' ? picked(place, fact) : acted(place, chart.hops, tools);
  if (nextState !== null) return goTo(place, nextState, { cause: 'next_state', isModel: true });
  if (chart.hops.by === 'reply') return gone(place, [chart.hops.otherwise], 'no next_state');
  return gone(place, words && here.afterWords !== null ? [here.afterWords] : [], 'words');
}

/** The tool decides. */
function picked(place: Place, { tools, words }: FactOf<'reply-read'>): Hop {
  const { chart, here } = place;
  const route = routeOf(chart, here, { tools, words });
  if (route === null) return invalid(place, refusedTools(place, tools), tools);
  const { states, refused } = route;
  const after = gone(place, states, tools.find((tool) => !refused.includes(tool)) ?? '');
  if (refused.length === 0) return after;
  const there = { ...place, mode: after.mode, here: stateNamed(chart, after.mode.state) ?? here };
  return { ...failed(there, refusedCalls(there, refused), refused), moves: after.moves };
}

/** Why some calls may not go ahead with the others. */
function refusedCalls(place: Place, refused: readonly string[]): string {
  const { finish } = place.chart;
  const ends = refused.filter((tool) => finish?.tools.includes(tool));
  const others = refused.filter((tool) => !finish?.tools.includes(tool));
  const reasons = [
    ...(others.length === 0 ? [] : [refusedTools(place, others)]),
    ...(ends.length === 0 ? [] : [`${listed(ends, '')} must be the only call of a reply`]),
  ];
  return reasons.join('. ');
}

/** An action leads on once it is done, whatever the mode; until then there is only to see that it is one. */
function acted(place: Place, hops: ByReply, tools: readonly string[]): Hop {
  const { chart, mode } = place;
  const refused = tools.filter((tool) => !chart.states.some((state) => allows(state, tool)));
  if (refused.length === 0) return stayed(mode.refusal === null ? mode : { ...mode, refusal: null });
  const error = `there is no action ${listed(refused.map(quoted), '')}`;
  if (refused.length < tools.length) return failed(place, error, refused);
  return fallen(place, { to: hops.afterFailure, cause: 'invalid action', error, refused });
}

export function replyFailed(place: Place, reason: string): Hop {
  const { hops } = place.chart;
  if (isPaging(place)) return unfit(place, `${place.here.name} is under way, so the reply is dropped`);
  const error = `the reply could not be read: ${reason}`;
  return hops.by === 'tool'
    ? failed(place, error)
    : fallen(place, { to: hops.afterFailure, cause: 'unreadable reply', error });
}

export function resultsIn(place: Place, { ok, reason }: FactOf<'results-in'>): Hop {
  const { chart, mode } = place;
  if (isPaging(place)) return unfit(place, `${place.here.name} is under way, so the results lead nowhere`);
  if (chart.hops.by === 'tool') return stayed({ ...mode, failures: ok ? 0 : mode.failures + 1 });
  if (ok) return gone(place, [chart.hops.afterAction], 'action');
  const error = `the action failed${reason === null ? '' : `: ${reason}`}`;
  return fallen(place, { to: chart.hops.afterFailure, cause: 'failed action', error });
}

/** What to do instead is as much a part of it as what was wrong. */
function refusedTools({ chart, here }: Place, tools: readonly string[]): string {
  const refused = tools.map((tool) => clip(tool));
  const allowed = here.tools === '*' ? 'any tool' : listed(here.tools, 'no tool');
  const next = listed(selectableNext(chart, here), 'nothing');
  const hint = here.afterWords === null ? '' : `; to go on to ${here.afterWords}, say first what you think`;
  return `${listed(refused, '')} cannot be used in ${here.name}: it allows ${allowed} and is followed by ${next}${hint}`;
}
