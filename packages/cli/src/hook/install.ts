import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { confirms, terminalOf } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { visible, visibleLine } from '../visible.ts';
import { entriesFor, hasEntries, withEntries, withoutEntries } from './entries.ts';
import type { Host } from './fact.ts';
import { readSettings, settingsPath, writeSettings } from './settings-file.ts';

export type InstallFlags = {
  /** For one project instead of all of the user's. */
  readonly project?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly maxToolCalls?: number | undefined;
};

/** Shows what would be added to the settings of a host, asks, and adds it. */
export async function installHook(host: Host, flags: InstallFlags, io: Io): Promise<ExitCode> {
  const path = pathFor(host, flags);
  const before = readSettings(path);
  const command = commandFor(host.name, flags.maxToolCalls);
  const after = withEntries(before, host.name, command);
  if (JSON.stringify(after) === JSON.stringify(before)) {
    io.stdout.write(`${visibleLine(path)} has these hooks already.\n`);
    return exitCodes.finished;
  }
  const shown = JSON.stringify({ hooks: entriesFor(host.name, command) }, null, 2);
  io.stderr.write(`To be added to ${visibleLine(path)}:\n${visible(shown)}\n`);
  if (!(await isAgreed(flags, io, 'Write it?'))) return unchanged(io);
  writeSettings(path, after);
  io.stdout.write(
    `${host.title} is governed from its next session on. pawl hook remove ${host.name} takes it back.\n`,
  );
  if (host.name === 'codex')
    io.stdout.write('Codex asks you to review new hooks before it runs them: /hooks shows them.\n');
  return exitCodes.finished;
}

/** Takes out of the settings of a host what was added there, and nothing else. */
export async function removeHook(host: Host, flags: InstallFlags, io: Io): Promise<ExitCode> {
  const path = pathFor(host, flags);
  const before = readSettings(path);
  if (!hasEntries(before, host.name)) {
    io.stdout.write(`${visibleLine(path)} has no hooks of pawl.\n`);
    return exitCodes.finished;
  }
  if (!(await isAgreed(flags, io, `Take the hooks of pawl out of ${visibleLine(path)}?`)))
    return unchanged(io);
  writeSettings(path, withoutEntries(before, host.name));
  io.stdout.write(`${visibleLine(path)} has no hooks of pawl any more.\n`);
  return exitCodes.finished;
}

function pathFor(host: Host, { project }: InstallFlags): string {
  return settingsPath(host.name, project === undefined ? null : resolve(project));
}

/** The Node that runs now and the file beside it, in full: a host has a path of its own, and may have no pawl on it. */
function commandFor(host: Host['name'], maxToolCalls: number | undefined): string {
  const entry = fileURLToPath(new URL('../../bin/pawl-hook.js', import.meta.url));
  const limit = maxToolCalls === undefined ? '' : ` --max-tool-calls ${maxToolCalls}`;
  return `"${process.execPath}" "${entry}" ${host}${limit}`;
}

async function isAgreed({ yes }: InstallFlags, io: Io, question: string): Promise<boolean> {
  if (yes === true) return true;
  const terminal = terminalOf(io);
  if (terminal === null) {
    throw new UsageError('Settings are changed only with your yes: ask at a terminal, or pass --yes.');
  }
  return confirms(terminal, question);
}

function unchanged(io: Io): ExitCode {
  io.stderr.write('Nothing was changed.\n');
  return exitCodes.finished;
}
