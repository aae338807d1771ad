import { doNothing, createJsonRunView, createLineRunView } from '../../run/run-view.ts';
import { isClosedSession, step, type Json, type Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { getMetadataText, getOwnerState, type Store } from '@pawl/runtime/store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandIo } from '../../output/command-io.ts';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { findSession } from '../../sessions/find-session.ts';
import { formatStatus } from '../../sessions/session-ending.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { hasKeyboard } from '../../output/terminal-prompt.ts';

export type WatchSessionOptions = SessionFlags & {
  /** Show past events too. */
  readonly fromStart?: boolean | undefined;
  /** Print lines instead of the live view. */
  readonly plain?: boolean | undefined;
  /** Print the transitions of the state machine too. */
  readonly verbose?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Shows a session that another process runs, live. */
export function watchSession(
  sessionRef: string,
  options: WatchSessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const { signal: outside = new AbortController().signal, fromStart } = options;
  return withSessionStore(options, async (store) => {
    const { id, metadata } = await findSession(store, sessionRef, options.dir);
    const leaving = new AbortController();
    const signal = AbortSignal.any([outside, leaving.signal]);
    const { session, happenings } = await followSession(store, id, {
      from: fromStart === true ? 'start' : 'now',
      signal,
    });
    const view = await createWatchView(options, io, {
      session,
      metadata: metadata,
      leave: () => leaving.abort(),
    });
    for await (const result of happenings) view.observe(result);
    await view.close();
    return outside.aborted ? exitCodes.interrupted : exitCodes.finished;
  });
}

type WatchView = { observe(result: StepResult): void; close(): Promise<void> };
type WatchedSession = { readonly session: Session; readonly metadata: Json; readonly leave: () => void };

async function createWatchView(
  options: WatchSessionOptions,
  io: CommandIo,
  watched: WatchedSession,
): Promise<WatchView> {
  if (options.json === true) return { ...createJsonRunView(io), close: async () => undefined };
  return options.plain !== true && options.verbose !== true && hasKeyboard(io)
    ? createLiveWatchView(io, watched)
    : createLineWatchView(io, watched, options);
}

function createLineWatchView(
  io: CommandIo,
  { session, metadata }: WatchedSession,
  { verbose }: WatchSessionOptions,
): WatchView {
  const view = createLineRunView(io, { verbose, showsAnswers: true });
  let last = session;
  io.stderr.write(`${sanitizeOneLine(formatWatchHeading(session.id, metadata))}\n`);
  return {
    observe(result) {
      view.observe(result);
      last = result.session;
    },
    async close() {
      io.stderr.write(`Status: ${formatStatus(last.turn.status)}\n`);
    },
  };
}

/** A read-only view: the only control is to leave. */
async function createLiveWatchView(
  io: CommandIo,
  { session, metadata, leave }: WatchedSession,
): Promise<WatchView> {
  const { openLiveView } = await import('../../tui/live-view.ts');
  const view = openLiveView({
    io,
    session,
    folder: getMetadataText(metadata, 'dir') ?? '',
    paths: [],
    isStored: true,
    model: getMetadataText(metadata, 'model') ?? '',
    id: session.id,
    mode: 'watch',
    controls: {
      say: doNothing,
      steer: doNothing,
      pause: doNothing,
      resume: doNothing,
      finish: doNothing,
      cancel: doNothing,
      leave,
    },
  });
  return { observe: view.observe, close: view.close };
}

function formatWatchHeading(id: string, metadata: Json): string {
  const dir = getMetadataText(metadata, 'dir');
  return dir === null ? `session ${id}` : `session ${id} in ${dir}`;
}

/** Poll interval for new events in the store. */
const followPollMs = 200;

/** `from` selects all events or only new ones. */
export type FollowOptions = {
  readonly from: 'start' | 'now';
  readonly signal: AbortSignal;
};

/** Returns a session's current or initial state and a stream of its step results, whichever process produces them. */
async function followSession(
  store: Store,
  id: string,
  { from, signal }: FollowOptions,
): Promise<{ readonly session: Session; readonly happenings: AsyncGenerator<StepResult, void, undefined> }> {
  const { session, head } = await store.open(id, from === 'start' ? { at: 0 } : {});
  return { session, happenings: streamStepResults(store, { session, head, signal }) };
}

type FollowContext = { readonly session: Session; readonly head: number; readonly signal: AbortSignal };

/** Ends when the session is closed, or when its log has no new events and its owner is not alive. */
async function* streamStepResults(
  store: Store,
  context: FollowContext,
): AsyncGenerator<StepResult, void, undefined> {
  let { session, head } = context;
  const { signal } = context;
  while (!signal.aborted) {
    for await (const { seq, event } of store.events(session.id, head)) {
      const result = step(session, event);
      session = result.session;
      head = seq;
      yield { ...result, event };
      if (signal.aborted) return;
    }
    if (isClosedSession(session)) return;
    const current = await store.open(session.id);
    if (current.head === head && getOwnerState(current.owner) !== 'alive') return;
    await sleep(followPollMs, undefined, { signal }).catch(() => undefined);
  }
}
