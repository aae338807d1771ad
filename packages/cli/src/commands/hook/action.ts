import { text as readAll } from 'node:stream/consumers';
import {
  answerHook,
  getHooksFile,
  hookHosts,
  HookInstallError,
  interruptHost,
  openHookStateStore,
  findInstalledCommand,
  getSettingsPath,
  hasHookInstallation,
  isCommandAvailable,
  isHostInstalled,
  planHookInstallation,
  removeHookInstallation,
  type HookActivity,
  type HookHost,
  type HookProgram,
  type HookRemoval,
} from '@pawl/gateway/hook';
import { exitCodes, toUsageError, UsageError, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { parseWholeNumberOption, createUnknownNameError } from '../../options/parse-options.ts';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { askConfirmation, openTerminalPrompt } from '../../output/terminal-prompt.ts';
import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';

export type HookFlags = { readonly maxToolCalls?: string | undefined };

/** Answers one hook event from standard input. Hosts run the bundled entry `pawl-hook.cjs`, which does the same. */
export async function runHook(name: string, flags: HookFlags, io: CommandIo): Promise<ExitCode> {
  const host = findHookHost(name);
  const callsMax = parseToolCallLimit(flags) ?? null;
  const states = openHookStateStore(getHooksFile(), Date.now);
  try {
    const text = await readAll(io.stdin);
    const answer = answerHook(host, text, { states, now: Date.now, callsMax, interrupt: interruptHost });
    io.stdout.write(answer);
    return exitCodes.finished;
  } catch (error) {
    throw toUsageError(error, TypeError);
  } finally {
    states.close();
  }
}

function findHookHost(name: string): HookHost {
  const host = hookHosts.find((each) => each.name === name);
  if (host !== undefined) return host;
  throw createUnknownNameError(
    'host',
    name,
    hookHosts.map((each) => each.name),
  );
}

function parseToolCallLimit({ maxToolCalls }: HookFlags): number | undefined {
  return maxToolCalls === undefined ? undefined : parseWholeNumberOption('--max-tool-calls', maxToolCalls, 1);
}

type InstallHookFlags = HookFlags & {
  /** Install for one project instead of for the user. */
  readonly project?: string | undefined;
  readonly yes?: boolean | undefined;
  /** Print the result as one JSON object. */
  readonly json?: boolean | undefined;
};

type HookChange = { readonly agent: HookHost['name']; readonly path: string; readonly changed: boolean };

/** Shows what will be added to a host's settings, asks for confirmation, and adds it. */
export async function installHostHook(
  name: string,
  flags: InstallHookFlags,
  io: CommandIo,
): Promise<ExitCode> {
  const host = findHookHost(name);
  parseToolCallLimit(flags);
  try {
    const change = await installHook(host, flags, io);
    if (flags.json === true) io.stdout.write(`${JSON.stringify(change)}\n`);
    return exitCodes.finished;
  } catch (error) {
    throw toUsageError(error, HookInstallError);
  }
}

/** Installs the hooks in the settings of each agent that is installed, asking for each. */
export async function installDetectedHooks(flags: InstallHookFlags, io: CommandIo): Promise<ExitCode> {
  parseToolCallLimit(flags);
  const hosts = hookHosts.filter(({ name }) => isHostInstalled(name));
  if (hosts.length === 0) io.stderr.write(`Found no coding agent. Supported: ${formatHostTitles()}.\n`);
  const changes: (HookChange | { readonly agent: HookHost['name']; readonly error: string })[] = [];
  for (const host of hosts) {
    try {
      changes.push(await installHook(host, flags, io));
    } catch (error) {
      if (!(error instanceof HookInstallError)) throw error;
      // One agent with unreadable settings does not prevent the others from being governed.
      io.stderr.write(`pawl: ${sanitizeOneLine(error.message)}\n`);
      changes.push({ agent: host.name, error: error.message });
    }
  }
  if (flags.json === true) io.stdout.write(`${JSON.stringify({ agents: changes })}\n`);
  return changes.some((change) => 'error' in change) ? exitCodes.failed : exitCodes.finished;
}

function formatHostTitles(): string {
  return hookHosts.map(({ title }) => title).join(', ');
}

async function installHook(host: HookHost, flags: InstallHookFlags, io: CommandIo): Promise<HookChange> {
  const path = getHostSettingsPath(host, flags);
  const plan = planHookInstallation(host.name, path, getHookProgram(flags));
  if (plan.isInstalled) {
    return reportHookChange(io, flags, { host, path, changed: false }, `${path} already has these hooks.`);
  }
  io.stderr.write(
    `${host.title}: to be added to ${sanitizeOneLine(path)}:\n${sanitizeText(plan.addition)}\n`,
  );
  if (!(await confirmHookChange(flags, io, `Change the settings of ${host.title}?`)))
    return reportUnchanged(io, { agent: host.name, path });
  plan.apply();
  const review =
    host.name === 'codex'
      ? ' Codex asks you to review new hooks before it runs them: /hooks shows them.'
      : '';
  const message = `${host.title} will be governed from its next session on.${review} To undo: pawl hook remove ${host.name}`;
  return reportHookChange(io, flags, { host, path, changed: true }, message);
}

/** Removes only our entries from a host's settings. */
export async function removeHostHook(
  name: string,
  flags: InstallHookFlags,
  io: CommandIo,
): Promise<ExitCode> {
  const host = findHookHost(name);
  try {
    const change = await removeHook(host, flags, io);
    if (flags.json === true) io.stdout.write(`${JSON.stringify(change)}\n`);
    return exitCodes.finished;
  } catch (error) {
    throw toUsageError(error, HookInstallError);
  }
}

async function removeHook(host: HookHost, flags: InstallHookFlags, io: CommandIo): Promise<HookChange> {
  const path = getHostSettingsPath(host, flags);
  if (!hasHookInstallation(host.name, path))
    return reportHookChange(io, flags, { host, path, changed: false }, `${path} has no hooks of pawl.`);
  if (!(await confirmHookChange(flags, io, `Remove the hooks of pawl from ${sanitizeOneLine(path)}?`)))
    return reportUnchanged(io, { agent: host.name, path });
  const removal = removeHookInstallation(host.name, path);
  const message = removal === null ? `${path} has no hooks of pawl.` : formatRemoval(removal, path);
  return reportHookChange(io, flags, { host, path, changed: removal !== null }, message);
}

function formatRemoval(removal: HookRemoval, path: string): string {
  switch (removal) {
    case 'deleted':
      return `Deleted ${path}, which only had the hooks of pawl.`;
    case 'restored':
      return `Restored ${path} as it was before the installation.`;
    case 'removed':
      return `Removed the hooks of pawl from ${path}.`;
    default:
      return removal satisfies never;
  }
}

function reportHookChange(
  io: CommandIo,
  { json }: InstallHookFlags,
  { host, path, changed }: { readonly host: HookHost; readonly path: string; readonly changed: boolean },
  message: string,
): HookChange {
  if (json !== true) io.stdout.write(`${sanitizeOneLine(message)}\n`);
  return { agent: host.name, path, changed };
}

function reportUnchanged(io: CommandIo, change: Omit<HookChange, 'changed'>): HookChange {
  io.stderr.write('Nothing was changed.\n');
  return { ...change, changed: false };
}

function getHostSettingsPath(host: HookHost, { project }: InstallHookFlags): string {
  return getSettingsPath(host.name, project === undefined ? null : resolve(project));
}

/** Uses absolute paths of this Node binary and of the entry file, because a host's PATH may not contain pawl. */
function getHookProgram(flags: HookFlags): HookProgram {
  const entry = fileURLToPath(new URL('../../../bin/pawl-hook.cjs', import.meta.url));
  const callsMax = parseToolCallLimit(flags);
  const options = callsMax === undefined ? [] : ['--max-tool-calls', String(callsMax)];
  return { program: [process.execPath, entry], options };
}

async function confirmHookChange(
  { yes }: InstallHookFlags,
  io: CommandIo,
  question: string,
): Promise<boolean> {
  if (yes === true) return true;
  const terminal = openTerminalPrompt(io);
  if (terminal === null) {
    throw new UsageError('There is no terminal to confirm on. Use --yes to change the settings.');
  }
  return askConfirmation(terminal, question);
}

/** The hooks in one settings file. */
type InstalledHook = {
  readonly scope: 'user' | 'project';
  readonly path: string;
  readonly command: string;
  readonly commandExists: boolean;
};

type AgentHookStatus = {
  readonly agent: HookHost['name'];
  readonly title: string;
  /** Whether the agent is installed on this machine. */
  readonly isDetected: boolean;
  readonly isGoverned: boolean;
  readonly settings: readonly InstalledHook[];
  /** What the governor did in the last seven days. */
  readonly week: HookActivity;
};

const statusPeriodMs = 7 * 24 * 3_600_000;

/** Shows for each agent whether it is governed, and what the governor did in the last seven days. */
export function showHookStatus(
  { project = '.', json }: { readonly project?: string | undefined; readonly json?: boolean | undefined },
  io: CommandIo,
): ExitCode {
  const activities = readWeekActivity();
  const statuses = hookHosts.map((host): AgentHookStatus => {
    const settings = [
      findInstalledHook(host.name, 'user', getSettingsPath(host.name, null)),
      findInstalledHook(host.name, 'project', getSettingsPath(host.name, resolve(project))),
    ].filter((installed) => installed !== null);
    return {
      agent: host.name,
      title: host.title,
      isDetected: isHostInstalled(host.name),
      isGoverned: settings.some(({ commandExists }) => commandExists),
      settings,
      week: activities.get(host.name) ?? { sessions: 0, advice: 0, denials: 0, stops: 0 },
    };
  });
  io.stdout.write(
    json === true ? `${JSON.stringify({ agents: statuses })}\n` : statuses.map(formatHookStatus).join(''),
  );
  return exitCodes.finished;
}

function readWeekActivity(): ReadonlyMap<string, HookActivity> {
  const file = getHooksFile();
  if (!existsSync(file)) return new Map();
  const states = openHookStateStore(file, Date.now);
  try {
    return states.readActivity(Date.now() - statusPeriodMs);
  } finally {
    states.close();
  }
}

function findInstalledHook(
  host: HookHost['name'],
  scope: InstalledHook['scope'],
  path: string,
): InstalledHook | null {
  const command = findInstalledCommand(host, path);
  return command === null ? null : { scope, path, command, commandExists: isCommandAvailable(command) };
}

function formatHookStatus({ agent, title, isDetected, isGoverned, settings, week }: AgentHookStatus): string {
  const state = isGoverned
    ? 'governed'
    : settings.length > 0
      ? `not governed: the installed command no longer exists. Run pawl hook install ${agent}`
      : isDetected
        ? `not governed. To govern it: pawl hook install ${agent}`
        : 'not installed';
  const lines = settings.flatMap(({ scope, path, command, commandExists }) => [
    `  ${scope} settings: ${path}`,
    `  command: ${command}${commandExists ? '' : ' (missing)'}`,
  ]);
  const { sessions, advice, denials, stops } = week;
  const activity =
    sessions + advice + denials + stops === 0 && !isGoverned
      ? []
      : [`  last 7 days: sessions ${sessions}, advice ${advice}, denials ${denials}, stops ${stops}`];
  return [`${title}: ${state}`, ...lines, ...activity].map((line) => `${sanitizeOneLine(line)}\n`).join('');
}
