import type { Chart, ChartMove } from '../charts/chart.ts';
import type { ModeFact } from './happening.ts';
import { stateNamed, type ModeChart, type ModeState } from './mode-chart.ts';
import { routeOf } from './route.ts';

/** A move, and one of the things that can happen for it to be made. */
export type ModeWay = {
  readonly to: string;
  /** The condition; null where what happens is enough. */
  readonly when: string | null;
  readonly fact: ModeFact;
};

/** A chart of modes for drawing and export. */
export function chartOf(chart: ModeChart): Chart {
  return {
    name: chart.name,
    initial: chart.initial,
    states: chart.states.map((state) => ({
      name: state.name,
      description: state.prompt,
      kind: state.terminal ? ('terminal' as const) : ('waiting' as const),
      moves: waysOf(chart, state).map(({ to, when, fact }): ChartMove => ({
        on: fact.type,
        when,
        to,
        does: [],
      })),
    })),
  };
}

/** How each of the next states is reached, in their order. */
export function waysOf(chart: ModeChart, from: ModeState): readonly ModeWay[] {
  const ways = [...from.next.flatMap((to) => waysTo(chart, from, to)), ...waysWrong(chart, from)];
  const reached = new Set(ways.map(({ to }) => to));
  const others = from.next.filter((to) => !reached.has(to));
  return [...ways, ...others.map((to) => byName(chart, to))];
}

function waysTo(chart: ModeChart, from: ModeState, to: string): readonly ModeWay[] {
  const { finish, paging } = chart;
  if (from.name === paging?.state) {
    return to === paging.next ? [{ to, when: null, fact: { type: 'paging-done' } }] : [];
  }
  return [
    ...(chart.hops.by === 'tool' ? toolWays(chart, from, to) : replyWays(chart, to)),
    ...(to === from.stuckState
      ? [{ to, when: null, fact: { type: 'stuck-found', cause: 'stuck' } } as const]
      : []),
    ...(to === finish?.state
      ? [{ to, when: null, fact: { type: 'finish-asked', cause: 'asked' } } as const]
      : []),
    ...(to === paging?.state ? [{ to, when: null, fact: { type: 'paging-needed' } } as const] : []),
  ];
}

/** No mode names it, so it stands for all the tools that are not named. */
const otherTool = 'another tool';

function toolWays(chart: ModeChart, from: ModeState, to: string): readonly ModeWay[] {
  const target = stateNamed(chart, to);
  const named = to === chart.finish?.state ? chart.finish.tools : target?.tools === '*' ? [] : target?.tools;
  const leading = (named ?? []).filter((tool) => leadsTo(chart, from, { tool, to }));
  const [first] = leading;
  return [
    ...(first === undefined ? [] : [{ to, when: `picks ${leading.join(' or ')}`, fact: read([first]) }]),
    ...(leadsTo(chart, from, { tool: otherTool, to })
      ? [{ to, when: 'picks another tool', fact: read([otherTool]) }]
      : []),
    ...(to === from.afterWords ? [{ to, when: 'says something', fact: read([]) }] : []),
  ];
}

function leadsTo(
  chart: ModeChart,
  from: ModeState,
  { tool, to }: { readonly tool: string; readonly to: string },
): boolean {
  const route = routeOf(chart, from, { tools: [tool], words: false });
  return route?.states.length === 1 && route.states[0] === to;
}

function replyWays(chart: ModeChart, to: string): readonly ModeWay[] {
  const { hops } = chart;
  if (hops.by === 'tool') return [];
  return [
    ...(stateNamed(chart, to)?.selectable ? [{ to, when: `asks for ${to}`, fact: read([], to) }] : []),
    ...(to === hops.otherwise ? [{ to, when: 'asks for nothing', fact: read([]) }] : []),
    ...(to === hops.afterAction ? [{ to, when: 'done', fact: results(true) }] : []),
    ...(to === hops.afterFailure ? [{ to, when: 'failed', fact: results(false) }] : []),
  ];
}

/** What the model gets wrong leads somewhere too. */
function waysWrong({ hops, onInvalid, paging }: ModeChart, from: ModeState): readonly ModeWay[] {
  if (from.terminal || from.name === paging?.state) return [];
  const unreadable = hops.by === 'tool' ? [] : [{ to: hops.afterFailure, when: null, fact: unread }];
  if (typeof onInvalid === 'string') return unreadable;
  // No state has an empty name.
  return [{ to: onInvalid.resetTo, when: 'asks for what cannot be', fact: read([], '') }, ...unreadable];
}

const unread: ModeFact = { type: 'reply-failed', reason: 'unreadable' };

/** For a state that nothing leads to by itself. */
function byName(chart: ModeChart, to: string): ModeWay {
  const fact: ModeFact = stateNamed(chart, to)?.selectable
    ? read([], to)
    : { type: 'move-asked', to, cause: 'asked' };
  return { to, when: `asks for ${to}`, fact };
}

function read(tools: readonly string[], nextState: string | null = null): ModeFact {
  return { type: 'reply-read', tools, nextState, words: tools.length === 0 };
}

function results(ok: boolean): ModeFact {
  return { type: 'results-in', ok, reason: null };
}
