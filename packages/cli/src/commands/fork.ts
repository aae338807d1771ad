import { isTerminal, step, type Event, type Session } from '@pawl/core';
import { eventLogOn, fork, thisProcess, type Position, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { sessionNamed } from './session-named.ts';
import { wholeNumber } from './option-number.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { statusText } from './show-ending.ts';

export type ForkOptions = SessionFlags & {
  readonly at?: string | undefined;
  readonly say?: string | undefined;
};

/** Makes a session that shares the past of another, up to some event, and goes on by itself. */
export function forkSession(word: string, options: ForkOptions, io: Io): Promise<ExitCode> {
  const { say, json } = options;
  if (say?.trim() === '') throw new UsageError('--say needs something to say.');
  return withStore(options, async (store) => {
    const { id, head } = await sessionNamed(store, word, options.dir);
    const at = options.at === undefined ? head : wholeNumber('--at', options.at, 0);
    if (at > head) {
      throw new UsageError(`Session ${JSON.stringify(id)} has ${head} events; --at ${at} is beyond its end.`);
    }
    const { session } = await store.open(id, { at });
    if (isTerminal(session)) throw hasEnded(session, at);
    const as = crypto.randomUUID();
    const position = await fork(store, id, { at, as, owner: thisProcess(), now: Date.now() });
    if (say !== undefined) await tell(store, as, position, say);
    const waits = say === undefined && session.turn.status === 'waitingForUser';
    const made = `Made ${as} from event ${at} of ${JSON.stringify(id)}.`;
    const next = `Go on with: pawl resume ${as}${waits ? ' "what is to be done next"' : ''}`;
    io.stdout.write(
      `${json === true ? JSON.stringify({ id: as, parent: { id, at } }) : `${visibleLine(made)}\n${next}`}\n`,
    );
    return exitCodes.finished;
  });
}

function hasEnded({ turn }: Session, at: number): UsageError {
  return new UsageError(
    `After event ${at} the session has ended (${statusText(turn.status)}): nothing can go on from there. Give an earlier --at.`,
  );
}

/** Says something in a session that nobody runs. What was under way there is called off first: it is to go another way. */
async function tell(store: Store, id: string, position: Position, text: string): Promise<void> {
  const log = eventLogOn(store, id, position);
  const at = Date.now();
  let { session } = await store.open(id);
  const take = async (event: Event): Promise<void> => {
    const after = step(session, event).session;
    if (after.seq > session.seq) await log.append([event], after);
    session = after;
  };
  if (session.turn.status === 'paused') await take({ type: 'resume-requested', at });
  if (session.turn.status !== 'waitingForUser') {
    await take({ type: 'cancel-requested', at, reason: 'the session goes another way from here' });
  }
  await take({ type: 'user-message', at, text });
}
