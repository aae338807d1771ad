import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findConfigFile,
  mergeConfigs,
  readConfigFile,
  createTrustStore,
  getUserConfigFolder,
} from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { openTerminalPrompt, type TerminalPrompt } from '../terminal-prompt.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { toConfigUsageError, toTrustedContents, loadConfigLayers, evaluateConfig } from './config-layers.ts';
import { askInitQuestions, type InitAnswerFlags } from './init-answers.ts';
import { renderConfigFile } from './init-text.ts';
import { resolveFolder } from '../folder-option.ts';

export type InitOptions = InitAnswerFlags & {
  readonly dir: string;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
};

/**
 * Writes a configuration for a folder that has none. The user who creates it thereby trusts it, so it applies at once.
 */
export async function initProject(
  { dir, yes, json, ...flags }: InitOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const folder = await resolveFolder(dir);
  await requireNoConfig(folder);
  const terminal = yes === true || json === true ? null : openTerminalPrompt(io);
  const choices = await askInitQuestions(folder, flags, abortOnInputEnd(terminal, io));
  if (choices === null) {
    io.stderr.write('Nothing was written.\n');
    return exitCodes.interrupted;
  }
  const path = join(folder, `pawl.config.${choices.format}`);
  await writeNewConfig(path, renderConfigFile(choices.format, choices.answers));
  const { config } = await trustWrittenConfig(folder, path);
  const hint = await getStricterModeHint(folder, choices.answers.mode);
  if (hint !== null) io.stderr.write(`${sanitizeOneLine(hint)}\n`);
  io.stdout.write(
    json === true
      ? `${JSON.stringify({ path, format: choices.format, trusted: true, config }, null, 2)}\n`
      : `Wrote ${sanitizeOneLine(path)} and trusted its content. To see the effective configuration: pawl config show\n`,
  );
  return exitCodes.finished;
}

/** Aborts pending questions when the input ends, for example with Ctrl-D, because no answer can follow. */
function abortOnInputEnd(terminal: TerminalPrompt | null, { stdin }: CommandIo): TerminalPrompt | null {
  if (terminal === null) return null;
  const inputEnd = new AbortController();
  stdin.once('end', () => inputEnd.abort());
  return { ask: (question) => terminal.ask(question, inputEnd.signal) };
}

/** A project cannot loosen the user's permission mode; the hint says where to change it. */
async function getStricterModeHint(folder: string, mode: string): Promise<string | null> {
  const { layers } = await loadConfigLayers(folder, {}, null);
  const effectiveMode = mergeConfigs({ ...layers, environment: {} }).permission?.mode;
  if (effectiveMode === mode) return null;
  const userFile = join(getUserConfigFolder(), 'pawl.config.yaml');
  return `The effective permission mode is ${effectiveMode ?? 'ask'}: a project cannot allow more than the user configuration. Allow ${mode} in ${userFile}, or run pawl with --mode ${mode}.`;
}

async function requireNoConfig(folder: string): Promise<void> {
  const existing = await findConfigFile(folder).catch((error: unknown) => {
    throw toConfigUsageError(error);
  });
  if (existing === null) return;
  throw new UsageError(
    `A configuration file already exists: ${JSON.stringify(existing)}. Edit it, or move it away first.`,
  );
}

/** Fails if the file exists, because another process may have created it since the check. */
async function writeNewConfig(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot write ${JSON.stringify(path)}: ${reason}. Use another folder with --dir.`, {
      cause: error,
    });
  }
}

/** Reads the written file back, so that an invalid file is reported at once. */
async function trustWrittenConfig(folder: string, path: string): ReturnType<typeof evaluateConfig> {
  try {
    const contents = await readConfigFile(path);
    await createTrustStore().trust(folder, toTrustedContents(contents));
    return await evaluateConfig(contents);
  } catch (error) {
    throw toConfigUsageError(error);
  }
}
