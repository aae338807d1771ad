import type { Json } from '@pawl/core';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { followSession } from './follow.ts';
import { jsonView, lineView } from './run-view.ts';
import { sessionNamed, textAbout } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { statusText } from './show-ending.ts';

export type WatchOptions = SessionFlags & {
  /** Show what happened before as well. */
  readonly fromStart?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Shows a session that runs in another process, as it happens. */
export function watchSession(word: string, options: WatchOptions, io: Io): Promise<ExitCode> {
  const { signal = new AbortController().signal, fromStart } = options;
  return withStore(options, async (store) => {
    const { id, about } = await sessionNamed(store, word, options.dir);
    const view = options.json === true ? jsonView(io) : lineView(io);
    const { session, happenings } = await followSession(store, id, {
      from: fromStart === true ? 'start' : 'now',
      signal,
    });
    if (options.json !== true) io.stderr.write(`${visibleLine(heading(id, about))}\n`);
    let last = session;
    for await (const seen of happenings) {
      view.see(seen);
      last = seen.session;
    }
    if (options.json !== true) io.stderr.write(`It ${statusText(last.turn.status)}.\n`);
    return signal.aborted ? exitCodes.interrupted : exitCodes.finished;
  });
}

function heading(id: string, about: Json): string {
  const dir = textAbout(about, 'dir');
  return dir === null ? `session ${id}` : `session ${id} in ${dir}`;
}
