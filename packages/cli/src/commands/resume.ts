import { getConversation, isTerminalSession, type Session } from '@pawl/core';
import {
  findTurnAnswer,
  getOwnerState,
  StoreError,
  resumeSession,
  getProcessOwner,
  applyAgentKeys,
  type OpenedSession,
  type Store,
} from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { registerStore } from '../known-stores.ts';
import { openConfiguredStore, type OpenedStore } from '../store-option.ts';
import { openTerminalPrompt } from '../terminal-prompt.ts';
import { UsageError, toUsageError } from '../usage-error.ts';
import { sanitizeText } from '../sanitize-text.ts';
import { flagsToConfig, applyModelConfig } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { resolveProfile } from './profile-option.ts';
import { toRunExitCode, indexFolderWithProgress, openRunView, type RunViewOptions } from './run.ts';
import { parseRunMetadata, type RunMetadata } from './run-metadata.ts';
import { loadConfig } from './run-config.ts';
import { openRunRecorder } from './run-log.ts';
import { openRunTelemetry } from './run-telemetry.ts';
import { driveRun } from './drive-run.ts';
import { findSession } from './find-session.ts';
import { shortenId } from '../short-id.ts';

export type ResumeSessionOptions = ModelFlags &
  RunViewOptions & {
    /** The folder whose last session is resumed if none is named. */
    readonly dir: string;
    readonly store?: string;
    readonly mode?: string;
    readonly watchResources?: boolean;
    /** Take the session over from the process that runs it. */
    readonly takeOver?: boolean;
    /** Run sessions of a database that was not created on this machine. */
    readonly trustStore?: boolean;
  };

/** Resumes a session, however it stopped, with a new message if one is given. */
export async function runResume(
  word: string,
  message: string | null,
  options: ResumeSessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const opened = await openConfiguredStore(options);
  try {
    return await resumeFromStore(opened, { word, message, options, io });
  } catch (error) {
    throw toUsageError(error, StoreError);
  } finally {
    await opened.close();
  }
}

type ResumeRequest = {
  readonly word: string;
  readonly message: string | null;
  readonly options: ResumeSessionOptions;
  readonly io: CommandIo;
};

async function resumeFromStore(
  opened: OpenedStore,
  { word, message, options, io }: ResumeRequest,
): Promise<ExitCode> {
  requireTrustedStore(opened, options);
  const { id } = await findSession(opened.store, word, options.dir);
  const found = await opened.store.open(id);
  const about = requireResumable(id, found, options);
  const isAtRest = found.session.turn.status === 'waitingForUser' && message === null;
  if (isAtRest && (await opened.store.commands.listPending(id)).length === 0)
    return printLastAnswer(found.session, io);
  const terminal = openTerminalPrompt(io);
  const flags = { ...about, ...pickDefinedOptions(options) };
  const settled = await loadConfig(about.dir, flagsToConfig(flags), terminal);
  const { config } = settled;
  const { profile } = applyAgentKeys(await resolveProfile(about.profile), config);
  const { signal = new AbortController().signal } = options;
  const index = await indexFolderWithProgress(about.dir, signal, io);
  if (index === null) return exitCodes.interrupted;
  using folder = index;
  const taken = await claimSessionToResume(opened.store, id, found);
  const used = { ...flags, ...applyModelConfig(flags, config) };
  const model = used.model ?? 'librarian';
  const view = await openRunView(options, io, { folder, id, model, kind: 'run', warnings: settled.warnings });
  const telemetry = await openRunTelemetry(config, view, io);
  try {
    const result = await driveRun({
      id,
      folder,
      profile,
      budgets: null,
      signal,
      view,
      trace: openRunRecorder(options, folder.root, (line) => view.warn(line)),
      telemetry,
      flags: used,
      config,
      terminal,
      opened,
      opening: { kind: 'resumed', taken, message, about: found.metadata },
    });
    await view.end(result);
    return toRunExitCode(result, 'run');
  } finally {
    await telemetry?.shutdown();
  }
}

/**
 * A database that came with a folder may contain tool calls that this user never allowed, and resuming would run them.
 */
function requireTrustedStore({ isOwn, path }: OpenedStore, { trustStore }: ResumeSessionOptions): void {
  if (isOwn || path === null) return;
  if (trustStore === true) return registerStore(path);
  throw new UsageError(
    `${path} was not made by you on this machine. Look into it with pawl show; if you trust what it holds, add --trust-store.`,
  );
}

function requireResumable(
  id: string,
  { session, owner, metadata, head }: OpenedSession,
  { takeOver }: ResumeSessionOptions,
): RunMetadata {
  if (isTerminalSession(session)) {
    throw new UsageError(
      `Session ${id} has ended for good (${session.turn.status}). Go on from an earlier point: pawl fork ${id} --at ${Math.max(0, head - 1)}`,
    );
  }
  const state = owner === getProcessOwner() ? 'gone' : getOwnerState(owner);
  if (state !== 'gone' && takeOver !== true) {
    const where = state === 'alive' ? 'is running now' : 'may be running elsewhere';
    throw new UsageError(
      `Session ${id} ${where} (${owner}). Leave it there, or take it from there with --take-over.`,
    );
  }
  const known = parseRunMetadata(metadata);
  if (known !== null) return known;
  throw new UsageError(
    `Session ${id} was not begun by pawl run: it is not known where and with which model it worked.`,
  );
}

/** There is nothing to resume: prints the last answer, in case the user has not seen it. */
function printLastAnswer(session: Session, io: CommandIo): ExitCode {
  const { id } = session;
  const answer = findTurnAnswer(getConversation(session));
  const next = `Session ${id} waits for you: pawl resume ${shortenId(id)} "what is to be done next"`;
  if (answer === null) throw new UsageError(next);
  io.stdout.write(`${sanitizeText(answer)}\n`);
  io.stderr.write(`${next}\n`);
  return exitCodes.finished;
}

/** If two processes resume a session at once, one gets the claim and the other an error. */
function claimSessionToResume(
  store: Store,
  id: string,
  { fence }: OpenedSession,
): ReturnType<typeof resumeSession> {
  return resumeSession(store, id, { owner: getProcessOwner(), from: fence });
}

/** Omits flags that were not given, so that they do not override the session's original options. */
function pickDefinedOptions(options: ResumeSessionOptions): Partial<ResumeSessionOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
