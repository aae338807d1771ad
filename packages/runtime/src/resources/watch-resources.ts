import { isTerminalSession, type Session } from '@pawl/core';
import { systemClock, type RuntimeClock } from '../clock.ts';
import { getErrorMessage, type EventPoster } from '../agent-dependencies.ts';
import {
  updatePressure,
  resourceLimits,
  noPressure,
  describeShortage,
  type ResourcePressure,
  type ResourceLimits,
} from './resource-pressure.ts';
import type { ResourceProbe } from './probe.ts';

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
  let judgement = noPressure;
  let stand: WatchState = { kind: 'watching' };
  let blind = '';
  while (!signal.aborted && !isTerminalSession(session())) {
    try {
      judgement = updatePressure(judgement, await probe(), limits);
      blind = '';
    } catch (error) {
      // Report a problem once, not at every sample.
      const problem = `The machine cannot be watched: ${getErrorMessage(error)}`;
      if (problem !== blind) report(problem);
      blind = problem;
    }
    if (!signal.aborted) stand = await updateWatchState(stand, judgement, { ...options, limits, report });
    await clock.sleepUntil(clock.now() + intervalMs, signal);
  }
}

type WatchContext = Pick<ResourceWatchOptions, 'post' | 'session'> & {
  readonly limits: ResourceLimits;
  readonly report: (line: string) => void;
};

async function updateWatchState(
  stand: WatchState,
  judgement: ResourcePressure,
  acting: WatchContext,
): Promise<WatchState> {
  const { post, session, report } = acting;
  const hasRoom = judgement.short.length === 0;
  switch (stand.kind) {
    case 'watching':
      return hasRoom ? stand : pauseSession(stand, judgement, acting);
    case 'paused': {
      const { turn } = session();
      const isOurs = turn.status === 'paused' && turn.reason === stand.reason;
      if (!isOurs) return hasRoom ? { kind: 'watching' } : { kind: 'overruled' };
      if (!hasRoom) return stand;
      if (await post({ type: 'resume-requested' })) report('There is room again; the work goes on.');
      return { kind: 'watching' };
    }
    case 'overruled':
      return hasRoom ? { kind: 'watching' } : stand;
    default:
      return stand satisfies never;
  }
}

/** A session that waits for the user uses no resources, so it is not paused. */
async function pauseSession(
  stand: WatchState,
  judgement: ResourcePressure,
  acting: WatchContext,
): Promise<WatchState> {
  const { post, session, limits, report } = acting;
  const { status } = session().turn;
  if (status === 'waitingForUser' || status === 'paused') return stand;
  const reason = `There is no room to work: ${describeShortage(judgement, limits)}.`;
  if (!(await post({ type: 'pause-requested', reason }))) return stand;
  report(`${reason} The work is paused and goes on by itself; resume it to go on at once.`);
  return { kind: 'paused', reason };
}
