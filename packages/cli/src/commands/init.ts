import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findConfig, mergeConfigs, readConfigFile, trustStore, userConfigFolder } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { terminalOf, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { asUsage, contentsOf, layersFor, loaded } from './config-layers.ts';
import { ask, type InitFlags } from './init-answers.ts';
import { configText } from './init-text.ts';
import { folderNamed } from '../folder-option.ts';

export type InitOptions = InitFlags & {
  readonly dir: string;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
};

/** Writes a configuration for a folder that has none. Whoever has it written here trusts it, so it takes effect at once. */
export async function init({ dir, yes, json, ...flags }: InitOptions, io: Io): Promise<ExitCode> {
  const folder = await folderNamed(dir);
  await needsNone(folder);
  const terminal = yes === true || json === true ? null : terminalOf(io);
  const asked = await ask(folder, flags, leaving(terminal, io));
  if (asked === null) {
    io.stderr.write('Nothing was written.\n');
    return exitCodes.interrupted;
  }
  const path = join(folder, `pawl.config.${asked.format}`);
  await write(path, configText(asked.format, asked.answers));
  const { config } = await trusted(folder, path);
  const hint = await looserHint(folder, asked.answers.mode);
  if (hint !== null) io.stderr.write(`${visibleLine(hint)}\n`);
  io.stdout.write(
    json === true
      ? `${JSON.stringify({ path, format: asked.format, trusted: true, config }, null, 2)}\n`
      : `Wrote ${visibleLine(path)} and trusted it as it stands. pawl config show tells what holds now.\n`,
  );
  return exitCodes.finished;
}

/** Whoever ends their input, as with Ctrl-D, has left: no answer will come any more. */
function leaving(terminal: Terminal | null, { stdin }: Io): Terminal | null {
  if (terminal === null) return null;
  const left = new AbortController();
  stdin.once('end', () => left.abort());
  return { ask: (question) => terminal.ask(question, left.signal) };
}

/** A folder cannot loosen what its user has set; whoever asked for that is told where it can be said. */
async function looserHint(folder: string, mode: string): Promise<string | null> {
  const { layers } = await layersFor(folder, {}, null);
  const held = mergeConfigs({ ...layers, environment: {} }).permission?.mode;
  if (held === mode) return null;
  const place = join(userConfigFolder(), 'pawl.config.yaml');
  return `What holds is the mode ${held ?? 'ask'}: a folder cannot allow more than you do. Allow ${mode} in ${place}, or run pawl with --mode ${mode}.`;
}

async function needsNone(folder: string): Promise<void> {
  const there = await findConfig(folder).catch((error: unknown) => {
    throw asUsage(error);
  });
  if (there === null) return;
  throw new UsageError(
    `There is a configuration already: ${JSON.stringify(there)}. Change that one, or move it away first.`,
  );
}

/** Only where there is nothing: between looking and writing somebody else may have been faster. */
async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${JSON.stringify(path)} cannot be written: ${why}. Name another folder with --dir.`,
      {
        cause: error,
      },
    );
  }
}

/** Reads back what was written, so that nobody is left with a file that cannot be used. */
async function trusted(folder: string, path: string): ReturnType<typeof loaded> {
  try {
    const read = await readConfigFile(path);
    await trustStore().trust(folder, contentsOf(read));
    return await loaded(read);
  } catch (error) {
    throw asUsage(error);
  }
}
