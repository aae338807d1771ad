import type { Chart, ChartMove } from '../charts/chart.ts';
import { type ModeEventPayload, findModeRoute } from './transition-mode.ts';
import { getModeState, type ModeChart, type ModeState } from './mode-chart.ts';

/** A transition and one event that causes it. */
export type PossibleTransition = {
  readonly to: string;
  /** The condition; null if the event is sufficient. */
  readonly guard: string | null;
  readonly payload: ModeEventPayload;
};

/** Converts a mode chart for drawing and export. */
export function toDrawableChart(chart: ModeChart): Chart {
  return {
    name: chart.name,
    initial: chart.initial,
    states: chart.states.map((state) => ({
      name: state.name,
      description: state.prompt,
      kind: state.terminal ? ('terminal' as const) : ('waiting' as const),
      transitions: listPossibleTransitions(chart, state).map(({ to, guard, payload }): ChartMove => ({
        on: payload.type,
        guard,
        to,
        actions: [],
      })),
    })),
  };
}

/** Lists how each of the next states is reached, in order. */
export function listPossibleTransitions(chart: ModeChart, from: ModeState): readonly PossibleTransition[] {
  const transitions = [
    ...from.next.flatMap((to) => listTargetTransitions(chart, from, to)),
    ...listInvalidTransitions(chart, from),
  ];
  const reached = new Set(transitions.map(({ to }) => to));
  const unreached = from.next.filter((to) => !reached.has(to));
  return [...transitions, ...unreached.map((to) => createNamedTransition(chart, to))];
}

function listTargetTransitions(chart: ModeChart, from: ModeState, to: string): readonly PossibleTransition[] {
  const { finish, paging } = chart;
  if (from.name === paging?.state) {
    return to === paging.next ? [{ to, guard: null, payload: { type: 'paging-done' } }] : [];
  }
  return [
    ...(chart.transitions.by === 'tool'
      ? listToolTransitions(chart, from, to)
      : listReplyTransitions(chart, to)),
    ...(to === from.stuckState
      ? [{ to, guard: null, payload: { type: 'stuck-found', cause: 'stuck' } } as const]
      : []),
    ...(to === finish?.state
      ? [{ to, guard: null, payload: { type: 'finish-asked', cause: 'asked' } } as const]
      : []),
    ...(to === paging?.state ? [{ to, guard: null, payload: { type: 'paging-needed' } } as const] : []),
  ];
}

/** Stands for all tools that no mode names. */
const otherTool = 'another tool';

function listToolTransitions(chart: ModeChart, from: ModeState, to: string): readonly PossibleTransition[] {
  const target = getModeState(chart, to);
  const toolNames =
    to === chart.finish?.state ? chart.finish.tools : target?.tools === '*' ? [] : target?.tools;
  const leadingTools = (toolNames ?? []).filter((tool) => isToolTarget(chart, from, { tool, to }));
  const [first] = leadingTools;
  return [
    ...(first === undefined
      ? []
      : [{ to, guard: `calls ${leadingTools.join(' or ')}`, payload: createReplyPayload([first]) }]),
    ...(isToolTarget(chart, from, { tool: otherTool, to })
      ? [{ to, guard: 'calls another tool', payload: createReplyPayload([otherTool]) }]
      : []),
    ...(to === from.afterText ? [{ to, guard: 'has text', payload: createReplyPayload([]) }] : []),
  ];
}

function isToolTarget(
  chart: ModeChart,
  from: ModeState,
  { tool, to }: { readonly tool: string; readonly to: string },
): boolean {
  const route = findModeRoute(chart, from, { tools: [tool], hasText: false });
  return route?.states.length === 1 && route.states[0] === to;
}

function listReplyTransitions(chart: ModeChart, to: string): readonly PossibleTransition[] {
  const { transitions } = chart;
  if (transitions.by === 'tool') return [];
  return [
    ...(getModeState(chart, to)?.selectable
      ? [{ to, guard: `requests ${to}`, payload: createReplyPayload([], to) }]
      : []),
    ...(to === transitions.otherwise
      ? [{ to, guard: 'requests no state', payload: createReplyPayload([]) }]
      : []),
    ...(to === transitions.afterAction
      ? [{ to, guard: 'succeeded', payload: createResultsPayload(true) }]
      : []),
    ...(to === transitions.afterFailure
      ? [{ to, guard: 'failed', payload: createResultsPayload(false) }]
      : []),
  ];
}

/** Lists the transitions caused by invalid replies. */
function listInvalidTransitions(
  { transitions, onInvalid, paging }: ModeChart,
  from: ModeState,
): readonly PossibleTransition[] {
  if (from.terminal || from.name === paging?.state) return [];
  const unreadable =
    transitions.by === 'tool'
      ? []
      : [{ to: transitions.afterFailure, guard: null, payload: unreadableReply }];
  if (typeof onInvalid === 'string') return unreadable;
  // No state has an empty name.
  return [
    { to: onInvalid.resetTo, guard: 'requests an invalid state', payload: createReplyPayload([], '') },
    ...unreadable,
  ];
}

const unreadableReply: ModeEventPayload = { type: 'reply-failed', reason: 'unreadable' };

/** A transition to a state that nothing else leads to. */
function createNamedTransition(chart: ModeChart, to: string): PossibleTransition {
  const payload: ModeEventPayload = getModeState(chart, to)?.selectable
    ? createReplyPayload([], to)
    : { type: 'move-asked', to, cause: 'asked' };
  return { to, guard: `requests ${to}`, payload };
}

function createReplyPayload(tools: readonly string[], nextState: string | null = null): ModeEventPayload {
  return { type: 'reply-read', tools, nextState, text: tools.length === 0 };
}

function createResultsPayload(ok: boolean): ModeEventPayload {
  return { type: 'results-in', ok, reason: null };
}
