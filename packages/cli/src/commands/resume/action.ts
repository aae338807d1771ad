import { acceptsUserMessage, isClosedSession } from '@pawl/core';
import { resumeSession } from '@pawl/runtime';
import {
  applyModelConfig,
  flagsToConfig,
  parseRunMetadata,
  type ModelFlags,
  type RunMetadata,
  applyAgentKeys,
} from '@pawl/runtime/agent-setup';
import {
  getOwnerState,
  StoreError,
  getProcessOwner,
  type OpenedSession,
  type Store,
} from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { registerStore, openConfiguredStore, type OpenedStore } from '../../sessions/store-option.ts';
import { openTerminalPrompt } from '../../output/terminal-prompt.ts';
import { resolveProfileOption, loadConfig, withSetupUsageErrors } from '../../options/load-config.ts';
import {
  toRunExitCode,
  indexFolderWithProgress,
  openRunView,
  type RunViewOptions,
} from '../../run/start-run.ts';

import { openRunTelemetry } from '../../observability/run-telemetry.ts';
import { driveRun, openRunRecorder } from '../../run/drive-run.ts';
import { createJsonRunView, createQuietRunView } from '../../run/run-view.ts';
import { deriveLastResult } from './last-result.ts';
import { findSession } from '../../sessions/find-session.ts';
import { shortenId } from '../../output/format-number.ts';

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
  sessionRef: string,
  message: string | null,
  options: ResumeSessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const opened = await openConfiguredStore(options);
  try {
    return await withSetupUsageErrors(() => resumeFromStore(opened, { sessionRef, message, options, io }));
  } catch (error) {
    throw toUsageError(error, StoreError);
  } finally {
    await opened.close();
  }
}

type ResumeRequest = {
  readonly sessionRef: string;
  readonly message: string | null;
  readonly options: ResumeSessionOptions;
  readonly io: CommandIo;
};

async function resumeFromStore(
  opened: OpenedStore,
  { sessionRef, message, options, io }: ResumeRequest,
): Promise<ExitCode> {
  requireTrustedStore(opened, options);
  const { id } = await findSession(opened.store, sessionRef, options.dir);
  const stored = await opened.store.open(id);
  const metadata = requireResumable(id, stored, options);
  const isIdle = acceptsUserMessage(stored.session) && message === null;
  if (isIdle && (await opened.store.commands.listPending(id)).length === 0)
    return printLastResult(opened.store, id, options, io);
  const terminal = openTerminalPrompt(io);
  const flags = { ...metadata, ...pickDefinedOptions(options) };
  const loaded = await loadConfig(metadata.dir, flagsToConfig(flags), terminal);
  const { config } = loaded;
  const { profile } = applyAgentKeys(await resolveProfileOption(metadata.profile), config);
  const { signal = new AbortController().signal } = options;
  const index = await indexFolderWithProgress(metadata.dir, signal, io);
  if (index === null) return exitCodes.interrupted;
  using folder = index;
  const resumed = await claimSessionToResume(opened.store, id, stored);
  const runFlags = { ...flags, ...applyModelConfig(flags, config) };
  const model = runFlags.model ?? 'librarian';
  const view = await openRunView(options, io, { folder, id, model, kind: 'run', warnings: loaded.warnings });
  const telemetry = await openRunTelemetry(config, view, io);
  try {
    const result = await driveRun({
      id,
      folder,
      profile,
      budgets: null,
      signal,
      view,
      trace: await openRunRecorder(options, folder.root, (line) => view.warn(line)),
      telemetry,
      flags: runFlags,
      config,
      terminal,
      opened,
      start: { kind: 'resumed', resumed, message, metadata: stored.metadata },
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
    `${path} was not created on this machine. Inspect it with pawl show; if you trust its contents, add --trust-store.`,
  );
}

function requireResumable(
  id: string,
  { session, owner, metadata, head }: OpenedSession,
  { takeOver }: ResumeSessionOptions,
): RunMetadata {
  if (isClosedSession(session)) {
    throw new UsageError(
      `Session ${id} is closed (${session.turn.status}). Fork it at an earlier event: pawl fork ${id} --at ${Math.max(0, head - 1)}`,
    );
  }
  const state = owner === getProcessOwner() ? 'gone' : getOwnerState(owner);
  if (state !== 'gone' && takeOver !== true) {
    const ownerState = state === 'alive' ? 'is running' : 'may be running elsewhere';
    throw new UsageError(`Session ${id} ${ownerState} (${owner}). Use --take-over to take it over.`);
  }
  const parsed = parseRunMetadata(metadata);
  if (parsed !== null) return parsed;
  throw new UsageError(`Session ${id} was not started by pawl run: its folder and model are unknown.`);
}

/** There is nothing to resume: prints the result of the last turn, in case the user has not seen it. */
async function printLastResult(
  store: Store,
  id: string,
  { json }: Pick<ResumeSessionOptions, 'json'>,
  io: CommandIo,
): Promise<ExitCode> {
  const next = `Session ${id} is waiting for input: pawl resume ${shortenId(id)} "next message"`;
  const result = await deriveLastResult(store, id);
  if (result === null) throw new UsageError(next);
  const view = json === true ? createJsonRunView(io) : createQuietRunView(io);
  await view.end(result);
  io.stderr.write(`${next}\n`);
  return toRunExitCode(result, 'run');
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
