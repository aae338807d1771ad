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
  /** Tell what was done as one JSON object. */
  readonly json?: boolean | undefined;
};

/** Shows what would be added to the settings of a host, asks, and adds it. */
export async function installHook(host: Host, flags: InstallFlags, io: Io): Promise<ExitCode> {
  const path = pathFor(host, flags);
  const before = readSettings(path);
  const command = commandFor(host.name, flags.maxToolCalls);
  const after = withEntries(before, host.name, command);
  if (JSON.stringify(after) === JSON.stringify(before)) {
    return done(io, flags, { agent: host.name, path, changed: false }, `${path} has these hooks already.`);
  }
  const shown = JSON.stringify({ hooks: entriesFor(host.name, command) }, null, 2);
  io.stderr.write(`To be added to ${visibleLine(path)}:\n${visible(shown)}\n`);
  if (!(await isAgreed(flags, io, 'Write it?'))) return unchanged(io);
  writeSettings(path, after);
  const review =
    host.name === 'codex'
      ? ' Codex asks you to review new hooks before it runs them: /hooks shows them.'
      : '';
  const said = `${host.title} is governed from its next session on.${review} pawl hook remove ${host.name} takes it back.`;
  return done(io, flags, { agent: host.name, path, changed: true }, said);
}

/** Takes out of the settings of a host what was added there, and nothing else. */
export async function removeHook(host: Host, flags: InstallFlags, io: Io): Promise<ExitCode> {
  const path = pathFor(host, flags);
  const before = readSettings(path);
  if (!hasEntries(before, host.name)) {
    return done(io, flags, { agent: host.name, path, changed: false }, `${path} has no hooks of pawl.`);
  }
  if (!(await isAgreed(flags, io, `Take the hooks of pawl out of ${visibleLine(path)}?`)))
    return unchanged(io);
  writeSettings(path, withoutEntries(before, host.name));
  return done(io, flags, { agent: host.name, path, changed: true }, `${path} has no hooks of pawl any more.`);
}

type Done = { readonly agent: Host['name']; readonly path: string; readonly changed: boolean };

function done(io: Io, { json }: InstallFlags, data: Done, said: string): ExitCode {
  io.stdout.write(`${json === true ? JSON.stringify(data) : visibleLine(said)}\n`);
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
