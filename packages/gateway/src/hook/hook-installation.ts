import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/governor';
import { ensureParentFolder, getDataFolder, hashFolderName } from '@pawl/runtime/data-folder';
import { replaceFileSync } from '@pawl/runtime/platform';
import { getOwnField, toJsonFields, type JsonFields } from '../json-fields.ts';
import { findClineCommand, listClineHookFiles, renderClineHook } from './cline-hooks.ts';
import { addCursorHooks, createCursorHooks, findCursorCommand, removeCursorHooks } from './cursor-hooks.ts';
import {
  addHookEntries,
  buildHookCommand,
  createHookEntries,
  findCopilotCommand,
  findHookCommand,
  HookInstallError,
  removeHookEntries,
  renderCopilotHooks,
} from './hook-entries.ts';
import type { HookHost } from './hook-event.ts';
import { findOpencodeCommand, renderOpencodePlugin } from './opencode-plugin.ts';

/** What an installation would change. */
export type HookInstallationPlan = {
  readonly path: string;
  /** The part that is added, to show to the user. */
  readonly addition: string;
  readonly isInstalled: boolean;
  /** Writes the file, and records what it was before. */
  readonly apply: () => void;
};

/** The outcome of a removal; `restored` is byte for byte what the file was before the installation. */
export type HookRemoval = 'restored' | 'removed' | 'deleted';

/** How a settings file was before an installation, in Pawl's data folder. */
type InstallationRecord = {
  /** The content in base64; null if there was no file. */
  readonly before: string | null;
  /** SHA-256 of the content that was written. */
  readonly written: string;
};

/** What an installation makes a host run. */
export type HookProgram = {
  /** The absolute paths of Node and of the hook's entry file. */
  readonly program: readonly [string, string];
  readonly options: readonly string[];
};

/** The form in which a host's file names the hook. */
type HookFileFormat = {
  /** The part that an installation adds, to show to the user. */
  readonly preview: (program: HookProgram) => string;
  readonly isInstalled: (text: string, program: HookProgram) => boolean;
  /** Adds the hook to a text without it. */
  readonly add: (text: string, program: HookProgram) => string;
  /** Removes the hook; null if nothing else is left. */
  readonly remove: (text: string) => string | null;
  /** Returns the installed command line, or null. Throws if the text cannot be changed. */
  readonly findCommand: (path: string, text: string) => string | null;
};

function getFileFormat(host: HookHost['name']): HookFileFormat {
  switch (host) {
    case 'opencode':
      return opencodePluginFormat;
    case 'copilot':
      return copilotHooksFormat;
    case 'cline':
      return clineHooksFormat;
    case 'cursor':
      return createSettingsFormat(host, {
        preview: createCursorHooks,
        add: addCursorHooks,
        remove: removeCursorHooks,
        findCommand: findCursorCommand,
      });
    default:
      return createSettingsFormat(host, {
        preview: (command) => ({ hooks: createHookEntries(host, command) }),
        add: (settings, command) => addHookEntries(settings, host, command),
        remove: (settings) => removeHookEntries(settings, host),
        findCommand: (settings) => findHookCommand(settings, host),
      });
  }
}

/** Whether the host's file is ours as a whole. */
function hasOwnFile(host: HookHost['name']): boolean {
  return host === 'opencode' || host === 'copilot' || host === 'cline';
}

/** The files in which a host's hooks are installed. */
function listHookFiles(host: HookHost['name'], path: string): readonly string[] {
  return host === 'cline' ? listClineHookFiles(path, process.platform) : [path];
}

/** How our entries stand in the settings of a host. */
type SettingsEditor = {
  readonly preview: (command: string) => Json;
  readonly add: (settings: JsonFields, command: string) => JsonFields;
  readonly remove: (settings: JsonFields) => JsonFields;
  readonly findCommand: (settings: JsonFields) => string | null;
};

/** The hooks are entries in a JSON file of the user. */
function createSettingsFormat(host: HookHost['name'], editor: SettingsEditor): HookFileFormat {
  const toLine = ({ program, options }: HookProgram): string =>
    buildHookCommand(host, program, options, process.platform);
  return {
    preview: (program) => JSON.stringify(editor.preview(toLine(program)), null, 2),
    isInstalled(text, program) {
      const settings = parseSettings('', text);
      return JSON.stringify(editor.add(settings, toLine(program))) === JSON.stringify(settings);
    },
    add: (text, program) => formatSettings(editor.add(parseSettings('', text), toLine(program)), text),
    remove(text) {
      const cleared = editor.remove(parseSettings('', text));
      return Object.keys(cleared).length === 0 ? null : formatSettings(cleared, text);
    },
    findCommand: (path, text) => editor.findCommand(parseSettings(path, text)),
  };
}

/** The hook is a plugin file of our own. */
const opencodePluginFormat: HookFileFormat = {
  preview: ({ program, options }) => `a plugin that runs ${[...program, 'opencode', ...options].join(' ')}`,
  isInstalled: (text, program) => text === opencodePluginFormat.add('', program),
  add: (_, { program, options }) => renderOpencodePlugin([...program, 'opencode', ...options]),
  remove: () => null,
  findCommand(path, text) {
    const command = findOpencodeCommand(text);
    if (command !== null) return command.map((word) => `"${word}"`).join(' ');
    throw new HookInstallError(`${path} is not a plugin of pawl. Rename it, then try again.`);
  },
};

/** The hooks are a JSON file of our own. */
const copilotHooksFormat: HookFileFormat = {
  preview: (program) => copilotHooksFormat.add('', program).trimEnd(),
  isInstalled: (text, program) => text === copilotHooksFormat.add('', program),
  add: (_, { program, options }) =>
    renderCopilotHooks(buildHookCommand('copilot', program, options, process.platform), process.platform),
  remove: () => null,
  findCommand(path, text) {
    const command = findCopilotCommand(parseSettings(path, text));
    if (command !== null) return command;
    throw new HookInstallError(`${path} has hooks of others. Rename it, then try again.`);
  },
};

/** The hooks are scripts of our own, one for each event. */
const clineHooksFormat: HookFileFormat = {
  preview: (program) => clineHooksFormat.add('', program).trimEnd(),
  isInstalled: (text, program) => text === clineHooksFormat.add('', program),
  add: (_, { program, options }) =>
    renderClineHook(buildHookCommand('cline', program, options, process.platform), process.platform),
  remove: () => null,
  findCommand(path, text) {
    const command = findClineCommand(text);
    if (command !== null) return command;
    throw new HookInstallError(`${path} is not a hook of pawl. Rename it, then try again.`);
  },
};

/** Computes the installation of a host's hooks without changing a file. */
export function planHookInstallation(
  host: HookHost['name'],
  path: string,
  program: HookProgram,
): HookInstallationPlan {
  const plans = listHookFiles(host, path).map((file) => planFileInstallation(host, file, program));
  const addition = plans.map((plan) => (plan.path === path ? plan.addition : `and the same in ${plan.path}`));
  return {
    path,
    addition: addition.join('\n'),
    isInstalled: plans.every(({ isInstalled }) => isInstalled),
    apply: () => plans.forEach((plan) => plan.apply()),
  };
}

function planFileInstallation(
  host: HookHost['name'],
  path: string,
  program: HookProgram,
): HookInstallationPlan {
  const format = getFileFormat(host);
  const current = readSettingsFile(path);
  const before = getOriginalContent(host, path, current);
  const text = format.add(before?.toString('utf8') ?? '', program);
  return {
    path,
    addition: format.preview(program),
    isInstalled: current !== null && format.isInstalled(current.toString('utf8'), program),
    apply: () => {
      writeRecord(path, { before: before?.toString('base64') ?? null, written: hashContent(text) });
      writeSettingsFile(path, text);
    },
  };
}

/** Returns the content without our entries: as it was before, if nothing else changed it since. */
function getOriginalContent(host: HookHost['name'], path: string, current: Buffer | null): Buffer | null {
  if (current === null) return null;
  const record = readRecord(path);
  if (record?.written === hashContent(current)) return toContent(record);
  const format = getFileFormat(host);
  const text = current.toString('utf8');
  if (format.findCommand(path, text) === null) return current;
  const cleared = format.remove(text);
  if (cleared !== null) return Buffer.from(cleared);
  const isOurFile = hasOwnFile(host) || record?.before === null;
  return isOurFile ? null : Buffer.from(formatSettings({}, text));
}

/**
 * Removes only our entries from a settings file. If nothing else changed it since the installation, the file becomes
 * byte for byte what it was before; a file that the installation created is deleted. Null if there is nothing to remove.
 */
export function removeHookInstallation(host: HookHost['name'], path: string): HookRemoval | null {
  const removals = listHookFiles(host, path).map((file) => removeFileInstallation(host, file));
  return removals.find((removal) => removal !== null) ?? null;
}

function removeFileInstallation(host: HookHost['name'], path: string): HookRemoval | null {
  const current = readSettingsFile(path);
  if (current === null || !hasFileInstallation(host, path)) return null;
  const isUnchanged = readRecord(path)?.written === hashContent(current);
  const before = getOriginalContent(host, path, current);
  if (before === null) deleteSettingsFile(path);
  else writeSettingsFile(path, before);
  rmSync(getRecordPath(path), { force: true });
  return before === null ? 'deleted' : isUnchanged ? 'restored' : 'removed';
}

/** Whether a host has our hooks. Throws if a file cannot be read. */
export function hasHookInstallation(host: HookHost['name'], path: string): boolean {
  // Every file is read, so that one of another author is reported before anything is removed.
  return listHookFiles(host, path)
    .map((file) => hasFileInstallation(host, file))
    .includes(true);
}

function hasFileInstallation(host: HookHost['name'], path: string): boolean {
  const content = readSettingsFile(path);
  return content !== null && getFileFormat(host).findCommand(path, content.toString('utf8')) !== null;
}

/** Returns the installed command line; null if a file does not have our hook or cannot be read. */
export function findInstalledCommand(host: HookHost['name'], path: string): string | null {
  try {
    const commands = listHookFiles(host, path).map((file) => {
      const content = readSettingsFile(file);
      return content === null ? null : getFileFormat(host).findCommand(file, content.toString('utf8'));
    });
    return commands.includes(null) ? null : (commands[0] ?? null);
  } catch {
    return null;
  }
}

/** Whether the Node binary and the entry file that an installed command line names still exist. */
export function isCommandAvailable(command: string): boolean {
  const paths = [...command.matchAll(/"([^"]+)"|'((?:[^']|'\\''|'')+)'/g)].map(([, double, single]) =>
    single === undefined ? (double ?? '') : single.replaceAll(/'\\''|''/g, "'"),
  );
  return paths.length >= 2 && paths.slice(0, 2).every((path) => existsSync(path));
}

function parseSettings(path: string, text: string): JsonFields {
  const settings = toJsonFields(parseSettingsJson(path, text));
  if (settings === null)
    throw new HookInstallError(`${path} holds no JSON object. Put it right, then try again.`);
  const hooks = getOwnField(settings, 'hooks');
  if (hooks !== undefined && toJsonFields(hooks) === null)
    throw new HookInstallError(`"hooks" in ${path} is not an object. Put it right, then try again.`);
  return settings;
}

function parseSettingsJson(path: string, text: string): Json {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json) as Json;
  } catch (error) {
    throw new HookInstallError(
      `${path} is not plain JSON (${error instanceof Error ? error.message : String(error)}). Take out comments, or put it right, then try again.`,
      { cause: error },
    );
  }
}

/** Formats settings as the file was before: indentation, line ends, byte order mark and the last line end. */
function formatSettings(settings: JsonFields, before: string): string {
  const isOneLine = before.trim() !== '' && !before.trim().includes('\n');
  const indent = /^\uFEFF?\s*\{\r?\n([ \t]+)/.exec(before)?.[1] ?? '  ';
  const json = JSON.stringify(settings, null, isOneLine && before.trim() !== '{}' ? 0 : indent);
  const text = before.trim() === '' || before.endsWith('\n') ? `${json}\n` : json;
  const withLineEnds = before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
  return before.startsWith('\uFEFF') ? `\uFEFF${withLineEnds}` : withLineEnds;
}

function readSettingsFile(path: string): Buffer | null {
  return runFileStep(path, 'read', () => (existsSync(path) ? readFileSync(path) : null));
}

/** Writes the file atomically; a symbolic link and the file mode are preserved. */
function writeSettingsFile(path: string, content: string | Buffer): void {
  runFileStep(path, 'written', () => {
    ensureParentFolder(path);
    const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const target = isThere ? realpathSync.native(path) : path;
    const temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, content, { mode: isThere ? statSync(target).mode & 0o777 : 0o600 });
    replaceFileSync(temporary, target);
  });
}

function deleteSettingsFile(path: string): void {
  runFileStep(path, 'deleted', () => rmSync(path));
}

function runFileStep<Result>(path: string, step: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HookInstallError(`${path} cannot be ${step}: ${reason}`, { cause: error });
  }
}

function hashContent(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function getRecordPath(path: string): string {
  return join(getDataFolder(), 'hook-settings', `${hashFolderName(path)}.json`);
}

function toContent({ before }: InstallationRecord): Buffer | null {
  return before === null ? null : Buffer.from(before, 'base64');
}

/** Reads the record of an installation; null if there is none or it is damaged. */
function readRecord(path: string): InstallationRecord | null {
  try {
    const record = JSON.parse(readFileSync(getRecordPath(path), 'utf8')) as Partial<InstallationRecord>;
    const { before, written } = record;
    return typeof written === 'string' && (before === null || typeof before === 'string')
      ? { before, written }
      : null;
  } catch {
    return null;
  }
}

/** Written before the settings: a record without an installation is ignored, because its hash does not fit. */
function writeRecord(path: string, record: InstallationRecord): void {
  const file = getRecordPath(path);
  runFileStep(file, 'written', () => {
    ensureParentFolder(file);
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
    replaceFileSync(temporary, file);
  });
}
