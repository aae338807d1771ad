import type { Json } from '@pawl/governor';
import { toJsonFields, getOwnField, getStringField, type JsonFields } from '../json-fields.ts';
import type { HookHost } from './hook-event.ts';

/** Time after which a host continues without the hook's answer. */
export const hookTimeoutSeconds = 10;

/** The hosts whose hooks are groups of entries in a settings file. */
type SettingsHostName = Exclude<HookHost['name'], 'opencode' | 'copilot' | 'cursor' | 'cline'>;

const hookedEvents: Readonly<
  Record<SettingsHostName, readonly { readonly event: string; readonly matcher?: string }[]>
> = {
  claude: [
    { event: 'UserPromptSubmit' },
    { event: 'PreToolUse', matcher: '*' },
    { event: 'PostToolUse', matcher: '*' },
    { event: 'PostToolUseFailure', matcher: '*' },
    { event: 'PostToolBatch' },
    { event: 'SessionEnd' },
  ],
  codex: [
    { event: 'UserPromptSubmit' },
    { event: 'PreToolUse', matcher: '.*' },
    { event: 'PostToolUse', matcher: '.*' },
  ],
  qwen: [
    { event: 'UserPromptSubmit' },
    { event: 'PreToolUse', matcher: '*' },
    { event: 'PostToolUse', matcher: '*' },
    { event: 'PostToolUseFailure', matcher: '*' },
    { event: 'SessionEnd' },
  ],
  gemini: [
    { event: 'BeforeAgent' },
    { event: 'BeforeToolSelection' },
    { event: 'BeforeTool', matcher: '.*' },
    { event: 'AfterTool', matcher: '.*' },
    { event: 'SessionEnd' },
  ],
};

/** Creates the entries for a host's settings, one for each event that it has to report. */
export function createHookEntries(host: SettingsHostName, command: string): Readonly<Record<string, Json>> {
  const isInMilliseconds = host === 'gemini' || host === 'qwen';
  const timeout = isInMilliseconds ? hookTimeoutSeconds * 1_000 : hookTimeoutSeconds;
  const hook = { type: 'command', command, timeout };
  return Object.fromEntries(
    hookedEvents[host].map(({ event, matcher }) => [
      event,
      matcher === undefined ? { hooks: [hook] } : { matcher, hooks: [hook] },
    ]),
  );
}

/** Renders the file that GitHub Copilot CLI reads besides the hook files of others. */
export function renderCopilotHooks(command: string, platform: NodeJS.Platform): string {
  const hook = {
    type: 'command',
    [platform === 'win32' ? 'powershell' : 'bash']: command,
    timeoutSec: hookTimeoutSeconds,
  };
  const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'];
  const hooks = Object.fromEntries(events.map((event) => [event, [hook]]));
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
}

/** Returns the command of a file that `renderCopilotHooks` rendered; null if the file is not ours. */
export function findCopilotCommand(settings: JsonFields): string | null {
  const groups = Object.values(toJsonFields(getOwnField(settings, 'hooks')) ?? {});
  const hooks = groups.flatMap((group) => (Array.isArray(group) ? (group as readonly Json[]) : [null]));
  const commands = hooks.map((hook) => {
    const fields = toJsonFields(hook) ?? {};
    return getStringField(fields, 'bash') || getStringField(fields, 'powershell');
  });
  return commands.every((command) => isPawlCommand(command, 'copilot')) ? (commands[0] ?? null) : null;
}

/** Adds our entries after those of others, replacing entries of an earlier installation. */
export function addHookEntries(settings: JsonFields, host: SettingsHostName, command: string): JsonFields {
  const cleared = removeHookEntries(settings, host);
  const hooks = toJsonFields(getOwnField(cleared, 'hooks')) ?? {};
  const added = Object.entries(createHookEntries(host, command)).map(([event, entry]) => {
    const others = getOwnField(hooks, event);
    return [event, [...(Array.isArray(others) ? others : []), entry]] as const;
  });
  return { ...cleared, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

/** Removes our entries and the groups they leave empty; entries of others stay unchanged. */
export function removeHookEntries(settings: JsonFields, host: SettingsHostName): JsonFields {
  const hooks = toJsonFields(getOwnField(settings, 'hooks'));
  if (hooks === null || !hasHookEntries(settings, host)) return settings;
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups] as const];
    const left = groups.flatMap((group: Json) => removeOwnHooks(group, host));
    return left.length === 0 && groups.length > 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...others } = settings;
  return kept.length === 0 ? others : { ...settings, hooks: Object.fromEntries(kept) };
}

export function hasHookEntries(settings: JsonFields, host: SettingsHostName): boolean {
  return findHookCommand(settings, host) !== null;
}

/** Returns the command line of our first entry, or null if the settings have none. */
export function findHookCommand(settings: JsonFields, host: SettingsHostName): string | null {
  const hooks = toJsonFields(getOwnField(settings, 'hooks')) ?? {};
  const ours = Object.values(hooks)
    .flatMap((groups) => (Array.isArray(groups) ? (groups as readonly Json[]) : []))
    .flatMap(getGroupHooks)
    .find((hook) => isPawlHook(hook, host));
  return ours === undefined ? null : getStringField(toJsonFields(ours) ?? {}, 'command');
}

function removeOwnHooks(group: Json, host: SettingsHostName): readonly Json[] {
  const hooks = getGroupHooks(group);
  const left = hooks.filter((hook) => !isPawlHook(hook, host));
  if (left.length === hooks.length) return [group];
  return left.length === 0 ? [] : [{ ...toJsonFields(group), hooks: left }];
}

function getGroupHooks(group: Json): readonly Json[] {
  const hooks = getOwnField(toJsonFields(group) ?? {}, 'hooks');
  return Array.isArray(hooks) ? (hooks as readonly Json[]) : [];
}

/** Recognizes our hooks by the file that they run. */
function isPawlHook(hook: Json, host: SettingsHostName): boolean {
  return isPawlCommand(getStringField(toJsonFields(hook) ?? {}, 'command'), host);
}

export function isPawlCommand(command: string, host: HookHost['name']): boolean {
  const words = command.split(' ');
  const at = words.findIndex((word) => /[\\/]pawl-hook\.c?js["']?$/.test(word));
  return at !== -1 && words[at + 1] === host;
}

/**
 * Builds the command line that a host runs. On Windows, Gemini, Copilot and Cline run it in PowerShell, the others in cmd.exe or Git
 * Bash, which read double quotes alike; elsewhere sh runs it.
 */
export function buildHookCommand(
  host: HookHost['name'],
  program: readonly [string, string],
  options: readonly string[],
  platform: NodeJS.Platform,
): string {
  const rest = [host, ...options];
  if (platform !== 'win32') return [...program.map(quoteForSh), ...rest].join(' ');
  if (['gemini', 'copilot', 'cline'].includes(host))
    return ['&', ...program.map(quoteForPowerShell), ...rest].join(' ');
  return [...program.map(quoteForWindows), ...rest].join(' ');
}

/** sh still expands these characters inside double quotes. */
function quoteForSh(path: string): string {
  return /["$`\\]/.test(path) ? `'${path.replaceAll("'", String.raw`'\''`)}'` : `"${path}"`;
}

function quoteForPowerShell(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}

function quoteForWindows(path: string): string {
  if (!/[%$`]/.test(path)) return `"${path}"`;
  throw new HookInstallError(
    `${path} has a sign in it that a shell of Windows expands. Install Node and Pawl in a folder without %, $ and \`.`,
  );
}

/** The hooks cannot be installed until the user has corrected what the message names. */
export class HookInstallError extends Error {
  override readonly name = 'HookInstallError';
}
