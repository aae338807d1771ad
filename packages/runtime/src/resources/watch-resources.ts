import { isTerminalSession, type Session } from '@pawl/core';
import { systemClock, type RuntimeClock } from '../platform/clock.ts';
import { getErrorMessage } from '../text/one-line.ts';
import type { EventPoster } from '../ports/agent-ports.ts';
import {
  updatePressure,
  resourceLimits,
  noPressure,
  describeShortage,
  type ResourcePressure,
  type ResourceLimits,
  type ResourceProbe,
} from './resource-pressure.ts';

export type ResourceWatchOptions = {
  readonly post: EventPoster;
  /** Returns the current session. */
  readonly session: () => Session;
  readonly probe: ResourceProbe;
  readonly limits?: Partial<ResourceLimits>;
  readonly intervalMs?: number;
  readonly clock?: RuntimeClock;
  /** Receives one line when work pauses and when it resumes. */
  readonly report?: (line: string) => void;
};

export type ResourceWatch = {
  stop(): void;
  /** Resolves when the watch ends: it was stopped, or the session has ended. */
  readonly stopped: Promise<void>;
};

/**
 * Pauses a session while resources are short and resumes it when they recover. A session paused for another reason
 * stays paused, and one that the user resumes anyway is left alone until resources have recovered once.
 */
export function watchResources(options: ResourceWatchOptions): ResourceWatch {
  const controller = new AbortController();
  return { stop: () => controller.abort(), stopped: runResourceWatch(options, controller.signal) };
}

/** What the watch has done about the current shortage. */
type WatchState =
  | { readonly kind: 'watching' }
  | { readonly kind: 'paused'; readonly reason: string }
  | { readonly kind: 'overruled' };

async function runResourceWatch(options: ResourceWatchOptions, signal: AbortSignal): Promise<void> {
  const { session, probe, clock = systemClock, intervalMs = 5_000, report = () => undefined } = options;
  const limits = { ...resourceLimits, ...options.limits };
  let pressure = noPressure;
  let state: WatchState = { kind: 'watching' };
  let lastProblem = '';
  while (!signal.aborted && !isTerminalSession(session())) {
    try {
      pressure = updatePressure(pressure, await probe(), limits);
      lastProblem = '';
    } catch (error) {
      // Report a problem once, not at every sample.
      const problem = `Resource usage cannot be measured: ${getErrorMessage(error)}`;
      if (problem !== lastProblem) report(problem);
      lastProblem = problem;
    }
    if (!signal.aborted) state = await updateWatchState(state, pressure, { ...options, limits, report });
    await clock.sleepUntil(clock.now() + intervalMs, signal);
  }
}

type WatchContext = Pick<ResourceWatchOptions, 'post' | 'session'> & {
  readonly limits: ResourceLimits;
  readonly report: (line: string) => void;
};

async function updateWatchState(
  state: WatchState,
  pressure: ResourcePressure,
  context: WatchContext,
): Promise<WatchState> {
  const { post, session, report } = context;
  const isClear = pressure.exceeded.length === 0;
  switch (state.kind) {
    case 'watching':
      return isClear ? state : pauseSession(state, pressure, context);
    case 'paused': {
      const { turn } = session();
      const isOurs = turn.status === 'paused' && turn.reason === state.reason;
      if (!isOurs) return isClear ? { kind: 'watching' } : { kind: 'overruled' };
      if (!isClear) return state;
      if (await post({ type: 'resume-requested' }))
        report('Resources have recovered; the session continues.');
      return { kind: 'watching' };
    }
    case 'overruled':
      return isClear ? { kind: 'watching' } : state;
    default:
      return state satisfies never;
  }
}

/** A session that waits for the user uses no resources, so it is not paused. */
async function pauseSession(
  state: WatchState,
  pressure: ResourcePressure,
  context: WatchContext,
): Promise<WatchState> {
  const { post, session, limits, report } = context;
  const { status } = session().turn;
  if (status === 'waitingForUser' || status === 'paused') return state;
  const reason = `Resources are short: ${describeShortage(pressure, limits)}.`;
  if (!(await post({ type: 'pause-requested', reason }))) return state;
  report(`${reason} The session is paused and continues when they recover; resume it to continue now.`);
  return { kind: 'paused', reason };
}
