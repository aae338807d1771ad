import type { Json, Session } from '@pawl/core';
import { textAbout, type Seen } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { hasKeys } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { followSession } from './follow.ts';
import { jsonView, lineView } from './run-view.ts';
import { sessionNamed } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { statusText } from './show-ending.ts';

export type WatchOptions = SessionFlags & {
  /** Show what happened before as well. */
  readonly fromStart?: boolean | undefined;
  /** Lines instead of the live view. */
  readonly plain?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Shows a session that runs in another process, as it happens. */
export function watchSession(word: string, options: WatchOptions, io: Io): Promise<ExitCode> {
  const { signal: outside = new AbortController().signal, fromStart } = options;
  return withStore(options, async (store) => {
    const { id, about } = await sessionNamed(store, word, options.dir);
    const leaving = new AbortController();
    const signal = AbortSignal.any([outside, leaving.signal]);
    const { session, happenings } = await followSession(store, id, {
      from: fromStart === true ? 'start' : 'now',
      signal,
    });
    const view = await viewFor(options, io, { session, about, leave: () => leaving.abort() });
    for await (const seen of happenings) view.see(seen);
    await view.close();
    return outside.aborted ? exitCodes.interrupted : exitCodes.finished;
  });
}

type Watching = { see(seen: Seen): void; close(): Promise<void> };
type Watched = { readonly session: Session; readonly about: Json; readonly leave: () => void };

async function viewFor(options: WatchOptions, io: Io, watched: Watched): Promise<Watching> {
  if (options.json === true) return { ...jsonView(io), close: async () => undefined };
  return options.plain !== true && hasKeys(io) ? liveView(io, watched) : linesOf(io, watched);
}

function linesOf(io: Io, { session, about }: Watched): Watching {
  const view = lineView(io);
  let last = session;
  io.stderr.write(`${visibleLine(heading(session.id, about))}\n`);
  return {
    see(seen) {
      view.see(seen);
      last = seen.session;
    },
    async close() {
      io.stderr.write(`It ${statusText(last.turn.status)}.\n`);
    },
  };
}

const nothing = (): void => undefined;

/** Nothing can be done to it from here but to look away. */
async function liveView(io: Io, { session, about, leave }: Watched): Promise<Watching> {
  const { openLiveView } = await import('../tui/live-view.ts');
  return openLiveView({
    io,
    session,
    folder: textAbout(about, 'dir') ?? '',
    model: textAbout(about, 'model') ?? '',
    id: session.id,
    mode: 'watch',
    controls: {
      say: nothing,
      steer: nothing,
      pause: nothing,
      resume: nothing,
      finish: nothing,
      cancel: nothing,
      leave,
    },
  });
}

function heading(id: string, about: Json): string {
  const dir = textAbout(about, 'dir');
  return dir === null ? `session ${id}` : `session ${id} in ${dir}`;
}
