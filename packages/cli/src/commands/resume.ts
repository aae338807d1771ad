import { conversationOf, isTerminal, type Session } from '@pawl/core';
import {
  answerOf,
  ownerState,
  StoreError,
  takeUp,
  thisProcess,
  withAgentKeys,
  type OpenedSession,
  type Store,
} from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { rememberStore } from '../known-stores.ts';
import { openStoreFor, type OpenedStore } from '../store-option.ts';
import { terminalOf } from '../terminal.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { visible } from '../visible.ts';
import { configOf, withModel } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { codeFor, indexUntil, showing, type ViewOptions } from './run.ts';
import { readAbout, type About } from './run-about.ts';
import { configFor } from './run-config.ts';
import { openRecords } from './run-log.ts';
import { runTelemetry } from './run-telemetry.ts';
import { work } from './run-work.ts';
import { sessionNamed } from './session-named.ts';
import { shortId } from '../short-id.ts';

export type ResumeOptions = ModelFlags &
  ViewOptions & {
    /** The folder whose last session is meant when none is named. */
    readonly dir: string;
    readonly store?: string;
    readonly mode?: string;
    readonly watchResources?: boolean;
    /** Take the session from whoever runs it now. */
    readonly takeOver?: boolean;
    /** Act on a database that was not made here. */
    readonly trustStore?: boolean;
  };

/** Goes on with a session where it stopped, however it stopped; and says something in it, if there is something to say. */
export async function resume(
  word: string,
  message: string | null,
  options: ResumeOptions,
  io: Io,
): Promise<ExitCode> {
  const opened = await openStoreFor(options);
  try {
    return await resumeIn(opened, { word, message, options, io });
  } catch (error) {
    throw asUsageError(error, StoreError);
  } finally {
    await opened.close();
  }
}

type Asked = {
  readonly word: string;
  readonly message: string | null;
  readonly options: ResumeOptions;
  readonly io: Io;
};

async function resumeIn(opened: OpenedStore, { word, message, options, io }: Asked): Promise<ExitCode> {
  checkIsOwn(opened, options);
  const { id } = await sessionNamed(opened.store, word, options.dir);
  const found = await opened.store.open(id);
  const about = checkCanGoOn(id, found, options);
  const isAtRest = found.session.turn.status === 'waitingForUser' && message === null;
  if (isAtRest && (await opened.store.commands.waiting(id)).length === 0)
    return tellAnswer(found.session, io);
  const terminal = terminalOf(io);
  const flags = { ...about, ...definedIn(options) };
  const settled = await configFor(about.dir, configOf(flags), terminal);
  const { config } = settled;
  const { profile } = withAgentKeys(await profileNamed(about.profile), config);
  const { signal = new AbortController().signal } = options;
  const index = await indexUntil(about.dir, signal, io);
  if (index === null) return exitCodes.interrupted;
  using folder = index;
  const taken = await claim(opened.store, id, found);
  const used = { ...flags, ...withModel(flags, config) };
  const model = used.model ?? 'librarian';
  const view = await showing(options, io, { folder, id, model, kind: 'run', warnings: settled.warnings });
  const telemetry = await runTelemetry(config, view, io);
  try {
    const result = await work({
      id,
      folder,
      profile,
      budgets: null,
      signal,
      view,
      trace: openRecords(options, folder.root, (line) => view.warn(line)),
      telemetry,
      flags: used,
      config,
      terminal,
      opened,
      opening: { kind: 'resumed', taken, message, about: found.about },
    });
    await view.end(result);
    return codeFor(result, 'run');
  } finally {
    await telemetry?.shutdown();
  }
}

/** What came with a folder may hold calls that nobody here has allowed; they would run. */
function checkIsOwn({ isOwn, path }: OpenedStore, { trustStore }: ResumeOptions): void {
  if (isOwn || path === null) return;
  if (trustStore === true) return rememberStore(path);
  throw new UsageError(
    `${path} was not made by you on this machine. Look into it with pawl show; if you trust what it holds, add --trust-store.`,
  );
}

function checkCanGoOn(
  id: string,
  { session, owner, about, head }: OpenedSession,
  { takeOver }: ResumeOptions,
): About {
  if (isTerminal(session)) {
    throw new UsageError(
      `Session ${id} has ended for good (${session.turn.status}). Go on from an earlier point: pawl fork ${id} --at ${Math.max(0, head - 1)}`,
    );
  }
  const state = owner === thisProcess() ? 'gone' : ownerState(owner);
  if (state !== 'gone' && takeOver !== true) {
    const where = state === 'alive' ? 'is running now' : 'may be running elsewhere';
    throw new UsageError(
      `Session ${id} ${where} (${owner}). Leave it there, or take it from there with --take-over.`,
    );
  }
  const known = readAbout(about);
  if (known !== null) return known;
  throw new UsageError(
    `Session ${id} was not begun by pawl run: it is not known where and with which model it worked.`,
  );
}

/** There is nothing to go on with: what came of it is shown, in case whoever asked for it never saw it. */
function tellAnswer(session: Session, io: Io): ExitCode {
  const { id } = session;
  const answer = answerOf(conversationOf(session));
  const next = `Session ${id} waits for you: pawl resume ${shortId(id)} "what is to be done next"`;
  if (answer === null) throw new UsageError(next);
  io.stdout.write(`${visible(answer)}\n`);
  io.stderr.write(`${next}\n`);
  return exitCodes.finished;
}

/** Of two who go on at once, one is told that the other was first. */
function claim(store: Store, id: string, { fence }: OpenedSession): ReturnType<typeof takeUp> {
  return takeUp(store, id, { owner: thisProcess(), from: fence });
}

/** A flag that was not given does not undo what the session was begun with. */
function definedIn(options: ResumeOptions): Partial<ResumeOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
