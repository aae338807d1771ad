import { isTerminal, type Session } from '@pawl/core';
import { systemClock, type Clock } from '../clock.ts';
import { messageOf, type Post } from '../work.ts';
import { judge, resourceLimits, roomEnough, shortage, type Judgement, type ResourceLimits } from './judge.ts';
import type { Probe } from './probe.ts';

export type WatchOptions = {
  readonly post: Post;
  /** The session as it is now. */
  readonly session: () => Session;
  readonly probe: Probe;
  readonly limits?: Partial<ResourceLimits>;
  readonly intervalMs?: number;
  readonly clock?: Clock;
  /** Is told in one line when work stops and when it goes on. */
  readonly report?: (line: string) => void;
};

export type Watch = {
  stop(): void;
  /** Resolves when nothing is watched any more: it was stopped, or the session has ended. */
  readonly stopped: Promise<void>;
};

/**
 * Pauses a session while the machine has no room for it, and resumes it when there is. A session that somebody else paused
 * stays paused, and one that the user resumes all the same is left alone until there has been room once.
 */
export function watchResources(options: WatchOptions): Watch {
  const controller = new AbortController();
  return { stop: () => controller.abort(), stopped: watch(options, controller.signal) };
}

/** What we have done about the shortage there is. */
type Stand =
  | { readonly kind: 'watching' }
  | { readonly kind: 'paused'; readonly reason: string }
  | { readonly kind: 'overruled' };

async function watch(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { session, probe, clock = systemClock, intervalMs = 5_000, report = () => undefined } = options;
  const limits = { ...resourceLimits, ...options.limits };
  let judgement = roomEnough;
  let stand: Stand = { kind: 'watching' };
  let blind = '';
  while (!signal.aborted && !isTerminal(session())) {
    try {
      judgement = judge(judgement, await probe(), limits);
      blind = '';
    } catch (error) {
      // Said once, not every few seconds.
      const problem = `The machine cannot be watched: ${messageOf(error)}`;
      if (problem !== blind) report(problem);
      blind = problem;
    }
    if (!signal.aborted) stand = await act(stand, judgement, { ...options, limits, report });
    await clock.until(clock.now() + intervalMs, signal);
  }
}

type Acting = Pick<WatchOptions, 'post' | 'session'> & {
  readonly limits: ResourceLimits;
  readonly report: (line: string) => void;
};

async function act(stand: Stand, judgement: Judgement, acting: Acting): Promise<Stand> {
  const { post, session, report } = acting;
  const hasRoom = judgement.short.length === 0;
  switch (stand.kind) {
    case 'watching':
      return hasRoom ? stand : pause(stand, judgement, acting);
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

/** A session that waits for the user takes up no room. */
async function pause(stand: Stand, judgement: Judgement, acting: Acting): Promise<Stand> {
  const { post, session, limits, report } = acting;
  const { status } = session().turn;
  if (status === 'waitingForUser' || status === 'paused') return stand;
  const reason = `There is no room to work: ${shortage(judgement, limits)}.`;
  if (!(await post({ type: 'pause-requested', reason }))) return stand;
  report(`${reason} The work is paused and goes on by itself; resume it to go on at once.`);
  return { kind: 'paused', reason };
}
