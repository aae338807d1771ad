import { describeRefusedTransition } from '@pawl/governor/session-tracker';
import { quoteText, clipText } from './define-chart.ts';
import {
  getModeState,
  type ModeChart,
  type ModeState,
  allowsTool,
  type TransitionPolicy,
  formatNameList,
  listSelectableNames,
  matchStateName,
} from './mode-chart.ts';
import {
  getSafeState,
  type CurrentMode,
  createModeChange,
  applyModeChange,
  type ModeChange,
} from './mode.ts';

/** Applies one mode event. Pure: the same events always give the same mode, and it never throws. */
export function transitionMode(chart: ModeChart, mode: CurrentMode, event: ModeEvent): ModeTransition {
  const at = Number.isFinite(event.at) ? event.at : mode.enteredAt;
  const state = getModeState(chart, mode.state);
  return state === undefined
    ? recoverUnknownState(chart, mode, { ...event, at })
    : dispatchModeEvent({ chart, mode, state, at }, event);
}

function dispatchModeEvent(context: ModeContext, event: ModeEvent): ModeTransition {
  if (context.state.terminal && event.type !== 'ticked') return rejectAfterEnd(context, event);
  switch (event.type) {
    case 'reply-read':
      return transitionOnReply(context, event);
    case 'reply-failed':
      return transitionOnUnreadableReply(context, event.reason);
    case 'results-in':
      return transitionOnResults(context, event);
    case 'paging-needed':
      return enterPagingState(context);
    case 'paging-done':
      return leavePagingState(context);
    case 'ticked':
      return countIteration(context);
    case 'stuck-found':
      return enterStuckState(context, event.cause);
    case 'finish-asked':
      return enterFinishState(context, event.cause);
    case 'move-asked':
      return transitionToNamedState(context, event.to, { cause: event.cause, requestedByModel: false });
    default:
      return event satisfies never;
  }
}

/**
 * Resets a mode whose state is not in this chart. The event itself is not applied, because its meaning in an unknown
 * state is undefined.
 */
function recoverUnknownState(chart: ModeChart, before: CurrentMode, event: ModeEvent): ModeTransition {
  const to = getSafeState(chart);
  const error = `${quoteText(before.state)} is not a state of ${chart.name}; reset to ${to}`;
  const mode = { ...before, chart: chart.name };
  const refused = getRequestedTools(event);
  return resetToState({ mode, at: event.at }, { to, cause: 'unknown state', error, refused });
}

function rejectAfterEnd(context: ModeContext, event: ModeEvent): ModeTransition {
  return rejectModeEvent(
    context,
    `${context.state.name} is the end, and nothing follows it`,
    getRequestedTools(event),
  );
}

function getRequestedTools(event: ModeEvent): readonly string[] {
  return event.type === 'reply-read' ? event.tools : [];
}

function countIteration(context: ModeContext): ModeTransition {
  const { chart, mode } = context;
  if (chart.maxIterations !== null && mode.iterations >= chart.maxIterations)
    return rejectModeEvent(context, `all ${chart.maxIterations} iterations are used up`);
  return stayInMode({ ...mode, steps: mode.steps + 1, iterations: mode.iterations + 1 });
}

function enterPagingState(context: ModeContext): ModeTransition {
  const { chart, state, mode } = context;
  if (isPagingMode(context)) return stayInMode(mode);
  if (chart.paging === null) return rejectModeEvent(context, `${chart.name} has no state for paging`);
  if (!state.next.includes(chart.paging.state))
    return rejectModeEvent(context, describeRefusedTransition(state.name, chart.paging.state, state.next));
  return transitionToStates(context, [chart.paging.state], 'paging needed');
}

function leavePagingState(context: ModeContext): ModeTransition {
  const { paging } = context.chart;
  if (paging === null || !isPagingMode(context))
    return rejectModeEvent(context, `no paging is under way in ${context.state.name}`);
  return transitionToStates(context, [paging.next], 'paging done');
}

function enterStuckState(context: ModeContext, cause: string): ModeTransition {
  const { state } = context;
  if (state.stuckState === null)
    return rejectModeEvent(context, `${state.name} has no state to fall to when stuck`);
  return transitionToStates(context, [state.stuckState], cause);
}

function enterFinishState(context: ModeContext, cause: string): ModeTransition {
  const { chart, state } = context;
  if (chart.finish === null) return rejectModeEvent(context, `${chart.name} has no state to finish in`);
  if (!state.next.includes(chart.finish.state))
    return rejectModeEvent(context, describeRefusedTransition(state.name, chart.finish.state, state.next));
  return transitionToStates(context, [chart.finish.state], cause);
}

/** The events that can change the mode. */
export type ModeEventPayload =
  /** The model has replied. */
  | {
      readonly type: 'reply-read';
      /** The tools it requests, in order. */
      readonly tools: readonly string[];
      /** The mode it requests by name, or null. */
      readonly nextState: string | null;
      /** Whether the reply also has text. */
      readonly text: boolean;
    }
  /** The model's reply could not be parsed. */
  | { readonly type: 'reply-failed'; readonly reason: string }
  /** The calls of a reply have ended; `ok` is false if one or more failed. An empty search result is a success. */
  | { readonly type: 'results-in'; readonly ok: boolean; readonly reason: string | null }
  | { readonly type: 'paging-needed' }
  | { readonly type: 'paging-done' }
  /** A new iteration of the loop starts. */
  | { readonly type: 'ticked' }
  /** The work was found to be stuck. */
  | { readonly type: 'stuck-found'; readonly cause: string }
  /** A caller other than the model requests the end of the work. */
  | { readonly type: 'finish-asked'; readonly cause: string }
  /** A caller other than the model requests another mode. */
  | { readonly type: 'move-asked'; readonly to: string; readonly cause: string };

/** A mode event with its time in milliseconds. */
export type ModeEvent = ModeEventPayload & { readonly at: number };

export type ModePayloadByType<Type extends ModeEventPayload['type']> = Extract<
  ModeEventPayload,
  { readonly type: Type }
>;

/** The chart, mode, state and time in which a mode event is handled. */
export type ModeContext = {
  readonly chart: ModeChart;
  readonly mode: CurrentMode;
  readonly state: ModeState;
  readonly at: number;
};

/** The result of a mode event. */
export type ModeTransition = {
  readonly mode: CurrentMode;
  readonly ok: boolean;
  /** Why the event was rejected or failed; null on success. */
  readonly error: string | null;
  readonly changes: readonly ModeChange[];
  /** The requested tools that may not be used. */
  readonly refused: readonly string[];
};

const acceptedTransition = { ok: true, error: null, changes: [], refused: [] } as const;

/** Whether the current mode is the paging mode. */
function isPagingMode({ chart, state }: ModeContext): boolean {
  return chart.paging?.state === state.name;
}

/** Accepts the event and keeps the mode. */
function stayInMode(mode: CurrentMode): ModeTransition {
  return { ...acceptedTransition, mode };
}

/** Accepts the event and passes through these states; the cause applies to the last one. */
function transitionToStates(
  { mode: before, at }: ModeContext,
  states: readonly string[],
  cause: string,
): ModeTransition {
  let mode: CurrentMode = before.refusal === null ? before : { ...before, refusal: null };
  const changes: ModeChange[] = [];
  for (const [index, to] of states.entries()) {
    if (to === mode.state) continue;
    const change = createModeChange(mode, to, {
      cause: index === states.length - 1 ? cause : 'decision',
      at,
    });
    mode = applyModeChange(mode, change);
    changes.push(change);
  }
  return { ...acceptedTransition, mode, changes };
}

/** Rejects an event that does not apply in this mode; nothing changes, and no failure is counted. */
function rejectModeEvent(
  { mode }: ModeContext,
  error: string,
  refused: readonly string[] = [],
): ModeTransition {
  return { mode, ok: false, error, changes: [], refused };
}

/** Handles an invalid transition as the chart's `onInvalid` policy says. */
function handleInvalidTransition(
  context: ModeContext,
  error: string,
  refused: readonly string[] = [],
): ModeTransition {
  const { onInvalid } = context.chart;
  if (onInvalid === 'ignore') return rejectModeEvent(context, error, refused);
  if (onInvalid === 'refuse') return recordModeFailure(context, error, refused);
  return resetToState(context, { to: onInvalid.resetTo, cause: 'invalid', error, refused });
}

/** Counts a failure and keeps the mode. */
function recordModeFailure(
  { mode }: ModeContext,
  error: string,
  refused: readonly string[] = [],
): ModeTransition {
  const after = { ...mode, failures: mode.failures + 1, refusal: clipText(error, modeErrorMax) };
  return { mode: after, ok: false, error, changes: [], refused };
}

/** Counts a failure and moves to another mode, or records a transition from the mode to itself. */
function resetToState(
  { mode, at }: Pick<ModeContext, 'mode' | 'at'>,
  reset: {
    readonly to: string;
    readonly cause: string;
    readonly error: string;
    readonly refused?: readonly string[];
  },
): ModeTransition {
  const { to, cause, error, refused = [] } = reset;
  const change = createModeChange(mode, to, { cause, at });
  const after = applyModeChange({ ...mode, failures: mode.failures + 1 }, change);
  return {
    mode: { ...after, refusal: clipText(error, modeErrorMax) },
    ok: false,
    error,
    changes: [change],
    refused,
  };
}

/** Enough for a sentence that lists all relevant names. */
const modeErrorMax = 1_000;

/** The modes to pass through for some calls, and the tools that cannot be used there. */
export type ModeRoute = { readonly states: readonly string[]; readonly refused: readonly string[] };

/**
 * Returns where calling these tools leads, or null if none can be used from here. They run in the first mode that names
 * all of them, otherwise in one that allows any. A finish tool must be the only call.
 *
 * If the reply also has text, the tools may also belong to the mode that text leads to.
 */
export function findModeRoute(
  chart: ModeChart,
  from: ModeState,
  { tools, hasText }: { readonly tools: readonly string[]; readonly hasText: boolean },
): ModeRoute | null {
  const finishTools = tools.filter((tool) => chart.finish?.tools.includes(tool));
  const otherTools = tools.filter((tool) => !chart.finish?.tools.includes(tool));
  const route =
    otherTools.length === 0 ? null : findRouteWithText(chart, from, { tools: otherTools, hasText });
  if (route !== null) return { ...route, refused: [...route.refused, ...finishTools] };
  if (chart.finish === null || finishTools.length === 0 || !from.next.includes(chart.finish.state))
    return null;
  return { states: [chart.finish.state], refused: otherTools };
}

function findRouteWithText(
  chart: ModeChart,
  from: ModeState,
  { tools, hasText }: { readonly tools: readonly string[]; readonly hasText: boolean },
): ModeRoute | null {
  const direct = findToolRoute(chart, from, tools);
  const textState = hasText && from.afterText !== null ? getModeState(chart, from.afterText) : undefined;
  if (textState === undefined || direct?.refused.length === 0) return direct;
  const indirect = findToolRoute(chart, textState, tools);
  if (indirect === null || (direct !== null && direct.refused.length <= indirect.refused.length))
    return direct;
  return { ...indirect, states: [textState.name, ...indirect.states] };
}

/** Finds a route for all tools together, otherwise for the first tool that has one. */
function findToolRoute(chart: ModeChart, from: ModeState, tools: readonly string[]): ModeRoute | null {
  const together = findRouteStates(chart, from, tools);
  if (together !== null) return { states: together.map(({ name }) => name), refused: [] };
  for (const tool of tools) {
    const states = findRouteStates(chart, from, [tool]);
    if (states === null) continue;
    const last = states.at(-1) ?? from;
    return {
      states: states.map(({ name }) => name),
      refused: tools.filter((each) => !allowsTool(last, each)),
    };
  }
  return null;
}

/**
 * A mode that names the tools takes precedence over one that allows any. Choosing a tool in a mode that allows none of
 * them is a decision, so the route may pass through a mode that allows any to the one that names them.
 */
function findRouteStates(
  chart: ModeChart,
  from: ModeState,
  tools: readonly string[],
): readonly ModeState[] | null {
  if (namesAllTools(from, tools)) return [];
  const choices = listSelectableStates(chart, from);
  const namingState = choices.find((state) => namesAllTools(state, tools));
  if (namingState !== undefined) return [namingState];
  if (from.tools === '*') return [];
  const openState = choices.find((state) => state.tools === '*');
  if (openState === undefined) return null;
  const nextNamingState = listSelectableStates(chart, openState).find((state) => namesAllTools(state, tools));
  return nextNamingState === undefined ? [openState] : [openState, nextNamingState];
}

function namesAllTools({ tools }: ModeState, wanted: readonly string[]): boolean {
  return tools !== '*' && wanted.every((tool) => tools.includes(tool));
}

function listSelectableStates(chart: ModeChart, { next }: ModeState): readonly ModeState[] {
  return next.flatMap((name) => {
    const state = getModeState(chart, name);
    return state === undefined || !state.selectable ? [] : [state];
  });
}

type ReplyTransitionPolicy = Extract<TransitionPolicy, { readonly by: 'reply' }>;

function transitionOnReply(context: ModeContext, payload: ModePayloadByType<'reply-read'>): ModeTransition {
  const { chart, state } = context;
  const { tools, nextState, text } = payload;
  if (isPagingMode(context))
    return rejectModeEvent(context, `${state.name} is under way, so the reply is dropped`, tools);
  if (chart.oneAction && tools.length > 1)
    return handleInvalidTransition(context, `one action at a time: the reply has ${tools.length}`, tools);
  if (tools.length > 0)
    return chart.transitions.by === 'tool'
      ? transitionByTool(context, payload)
      : acceptAction(context, chart.transitions, tools);
  if (nextState !== null)
    return transitionToNamedState(context, nextState, { cause: 'next_state', requestedByModel: true });
  if (chart.transitions.by === 'reply')
    return transitionToStates(context, [chart.transitions.otherwise], 'no next_state');
  return transitionToStates(context, text && state.afterText !== null ? [state.afterText] : [], 'words');
}

/** Handles a reply whose tools decide the transition. */
function transitionByTool(
  context: ModeContext,
  { tools, text }: ModePayloadByType<'reply-read'>,
): ModeTransition {
  const { chart, state } = context;
  const route = findModeRoute(chart, state, { tools, hasText: text });
  if (route === null) return handleInvalidTransition(context, describeRefusedTools(context, tools), tools);
  const { states, refused } = route;
  const transition = transitionToStates(context, states, tools.find((tool) => !refused.includes(tool)) ?? '');
  if (refused.length === 0) return transition;
  const nextContext = {
    ...context,
    mode: transition.mode,
    state: getModeState(chart, transition.mode.state) ?? state,
  };
  return {
    ...recordModeFailure(nextContext, describeRefusedCalls(nextContext, refused), refused),
    changes: transition.changes,
  };
}

/** Explains why some calls may not run with the others. */
function describeRefusedCalls(context: ModeContext, refused: readonly string[]): string {
  const { finish } = context.chart;
  const finishTools = refused.filter((tool) => finish?.tools.includes(tool));
  const otherTools = refused.filter((tool) => !finish?.tools.includes(tool));
  const reasons = [
    ...(otherTools.length === 0 ? [] : [describeRefusedTools(context, otherTools)]),
    ...(finishTools.length === 0
      ? []
      : [`${formatNameList(finishTools, '')} must be the only call of a reply`]),
  ];
  return reasons.join('. ');
}

/** Accepts an action in any mode; its result decides the transition, so only its name is checked here. */
function acceptAction(
  context: ModeContext,
  policy: ReplyTransitionPolicy,
  tools: readonly string[],
): ModeTransition {
  const { chart, mode } = context;
  const refused = tools.filter((tool) => !chart.states.some((state) => allowsTool(state, tool)));
  if (refused.length === 0) return stayInMode(mode.refusal === null ? mode : { ...mode, refusal: null });
  const error = `there is no action ${formatNameList(refused.map(quoteText), '')}`;
  if (refused.length < tools.length) return recordModeFailure(context, error, refused);
  return resetToState(context, { to: policy.afterFailure, cause: 'invalid action', error, refused });
}

function transitionOnUnreadableReply(context: ModeContext, reason: string): ModeTransition {
  const { transitions } = context.chart;
  if (isPagingMode(context))
    return rejectModeEvent(context, `${context.state.name} is under way, so the reply is dropped`);
  const error = `the reply could not be read: ${reason}`;
  return transitions.by === 'tool'
    ? recordModeFailure(context, error)
    : resetToState(context, { to: transitions.afterFailure, cause: 'unreadable reply', error });
}

function transitionOnResults(
  context: ModeContext,
  { ok, reason }: ModePayloadByType<'results-in'>,
): ModeTransition {
  const { chart, mode } = context;
  if (isPagingMode(context))
    return rejectModeEvent(context, `${context.state.name} is under way, so the results lead nowhere`);
  if (chart.transitions.by === 'tool') return stayInMode({ ...mode, failures: ok ? 0 : mode.failures + 1 });
  if (ok) return transitionToStates(context, [chart.transitions.afterAction], 'action');
  const error = `the action failed${reason === null ? '' : `: ${reason}`}`;
  return resetToState(context, { to: chart.transitions.afterFailure, cause: 'failed action', error });
}

/** Explains the refusal and what the model can do instead. */
function describeRefusedTools({ chart, state }: ModeContext, tools: readonly string[]): string {
  const refused = tools.map((tool) => clipText(tool));
  const allowed = state.tools === '*' ? 'any tool' : formatNameList(state.tools, 'no tool');
  const next = formatNameList(listSelectableNames(chart, state), 'nothing');
  const hint = state.afterText === null ? '' : `; to go on to ${state.afterText}, say first what you think`;
  return `${formatNameList(refused, '')} cannot be used in ${state.name}: it allows ${allowed} and is followed by ${next}${hint}`;
}

/** Moves to a state requested by name; the model may only request selectable states. */
function transitionToNamedState(
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

/** Filters the tools that the mode itself allows. */
export function listAllowedTools(
  chart: ModeChart,
  mode: CurrentMode,
  tools: readonly string[],
): readonly string[] {
  const state = getModeState(chart, mode.state);
  return state === undefined ? [] : tools.filter((tool) => allowsTool(state, tool));
}

/**
 * Filters the tools the model may call now: allowed in this mode, or in a mode that calling them leads to. Offer these
 * to the model; otherwise no tool could lead out of a mode that allows none.
 */
export function listOfferedTools(
  chart: ModeChart,
  mode: CurrentMode,
  tools: readonly string[],
): readonly string[] {
  const current = getModeState(chart, mode.state);
  if (current === undefined || current.terminal || chart.paging?.state === current.name) return [];
  if (chart.transitions.by === 'reply')
    return tools.filter((tool) => chart.states.some((state) => allowsTool(state, tool)));
  return tools.filter((tool) => findModeRoute(chart, current, { tools: [tool], hasText: true }) !== null);
}

/** Returns the modes the model may request now. */
export function listNextStates(chart: ModeChart, mode: CurrentMode): readonly string[] {
  const state = getModeState(chart, mode.state);
  return state === undefined ? [] : listSelectableNames(chart, state);
}

/** Whether the mode is terminal. */
export function isTerminalMode(chart: ModeChart, mode: CurrentMode): boolean {
  return getModeState(chart, mode.state)?.terminal ?? false;
}
