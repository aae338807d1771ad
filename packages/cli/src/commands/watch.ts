import type { Json, Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { getMetadataText } from '@pawl/runtime/store';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { hasKeyboard } from '../terminal-prompt.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { followSession } from './follow.ts';
import { createJsonRunView, createLineRunView } from './run-view.ts';
import { findSession } from './find-session.ts';
import { withSessionStore, type SessionFlags } from './session-store.ts';
import { formatStatus } from './session-ending.ts';

export type WatchSessionOptions = SessionFlags & {
  /** Show past events too. */
  readonly fromStart?: boolean | undefined;
  /** Print lines instead of the live view. */
  readonly plain?: boolean | undefined;
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
    for await (const result of happenings) view.see(result);
    await view.close();
    return outside.aborted ? exitCodes.interrupted : exitCodes.finished;
  });
}

type WatchView = { see(result: StepResult): void; close(): Promise<void> };
type WatchedSession = { readonly session: Session; readonly metadata: Json; readonly leave: () => void };

async function createWatchView(
  options: WatchSessionOptions,
  io: CommandIo,
  watched: WatchedSession,
): Promise<WatchView> {
  if (options.json === true) return { ...createJsonRunView(io), close: async () => undefined };
  return options.plain !== true && hasKeyboard(io)
    ? createLiveWatchView(io, watched)
    : createLineWatchView(io, watched);
}

function createLineWatchView(io: CommandIo, { session, metadata }: WatchedSession): WatchView {
  const view = createLineRunView(io);
  let last = session;
  io.stderr.write(`${sanitizeOneLine(formatWatchHeading(session.id, metadata))}\n`);
  return {
    see(result) {
      view.see(result);
      last = result.session;
    },
    async close() {
      io.stderr.write(`Status: ${formatStatus(last.turn.status)}\n`);
    },
  };
}

const doNothing = (): void => undefined;

/** A read-only view: the only control is to leave. */
async function createLiveWatchView(
  io: CommandIo,
  { session, metadata, leave }: WatchedSession,
): Promise<WatchView> {
  const { openLiveView } = await import('../tui/live-view.ts');
  const view = openLiveView({
    io,
    session,
    folder: getMetadataText(metadata, 'dir') ?? '',
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
  return { see: view.observe, close: view.close };
}

function formatWatchHeading(id: string, metadata: Json): string {
  const dir = getMetadataText(metadata, 'dir');
  return dir === null ? `session ${id}` : `session ${id} in ${dir}`;
}
