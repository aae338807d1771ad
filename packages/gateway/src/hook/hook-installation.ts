import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/governor';
import { ensureParentFolder, getDataFolder, hashFolderName } from '@pawl/runtime/data-folder';
import { replaceFileSync } from '@pawl/runtime/platform';
import { getOwnField, toJsonFields, type JsonFields } from '../json-fields.ts';
import {
  addHookEntries,
  createHookEntries,
  findHookCommand,
  hasHookEntries,
  HookInstallError,
  removeHookEntries,
} from './hook-entries.ts';
import type { HookHost } from './hook-event.ts';

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

/** Computes the installation of a host's hooks in a settings file without changing it. */
export function planHookInstallation(
  host: HookHost['name'],
  path: string,
  command: string,
): HookInstallationPlan {
  const current = readSettingsFile(path);
  const before = getOriginalContent(host, path, current);
  const text = renderSettings(host, before, command);
  return {
    path,
    addition: JSON.stringify({ hooks: createHookEntries(host, command) }, null, 2),
    isInstalled: current !== null && hasSameEntries(host, current.toString('utf8'), command),
    apply: () => {
      writeRecord(path, { before: before?.toString('base64') ?? null, written: hashContent(text) });
      writeSettingsFile(path, text);
    },
  };
}

function hasSameEntries(host: HookHost['name'], text: string, command: string): boolean {
  const settings = parseSettings('', text);
  return JSON.stringify(addHookEntries(settings, host, command)) === JSON.stringify(settings);
}

function renderSettings(host: HookHost['name'], before: Buffer | null, command: string): string {
  const text = before?.toString('utf8') ?? '';
  return formatSettings(addHookEntries(parseSettings('', text), host, command), text);
}

/** Returns the content without our entries: as it was before, if nothing else changed it since. */
function getOriginalContent(host: HookHost['name'], path: string, current: Buffer | null): Buffer | null {
  if (current === null) return null;
  const record = readRecord(path);
  if (record?.written === hashContent(current)) return toContent(record);
  const text = current.toString('utf8');
  const settings = parseSettings(path, text);
  if (!hasHookEntries(settings, host)) return current;
  const cleared = removeHookEntries(settings, host);
  const isOurFile = record?.before === null && Object.keys(cleared).length === 0;
  return isOurFile ? null : Buffer.from(formatSettings(cleared, text));
}

/**
 * Removes only our entries from a settings file. If nothing else changed it since the installation, the file becomes
 * byte for byte what it was before; a file that the installation created is deleted. Null if there is nothing to remove.
 */
export function removeHookInstallation(host: HookHost['name'], path: string): HookRemoval | null {
  const current = readSettingsFile(path);
  if (current === null || !hasHookInstallation(host, path)) return null;
  const isUnchanged = readRecord(path)?.written === hashContent(current);
  const before = getOriginalContent(host, path, current);
  if (before === null) deleteSettingsFile(path);
  else writeSettingsFile(path, before);
  rmSync(getRecordPath(path), { force: true });
  return before === null ? 'deleted' : isUnchanged ? 'restored' : 'removed';
}

/** Whether a settings file has entries of ours. Throws if it cannot be read. */
export function hasHookInstallation(host: HookHost['name'], path: string): boolean {
  const content = readSettingsFile(path);
  return content !== null && hasHookEntries(parseSettings(path, content.toString('utf8')), host);
}

/** Returns the installed command line; null if the file has none of our entries or cannot be read. */
export function findInstalledCommand(host: HookHost['name'], path: string): string | null {
  try {
    const content = readSettingsFile(path);
    return content === null ? null : findHookCommand(parseSettings(path, content.toString('utf8')), host);
  } catch {
    return null;
  }
}

/** Whether the Node binary and the entry file that an installed command line names still exist. */
export function isCommandAvailable(command: string): boolean {
  const paths = [...command.matchAll(/"([^"]+)"|'((?:[^']|'\\''|'')+)'/g)].map(([, double, single]) =>
    single === undefined ? (double ?? '') : single.replaceAll(/'\\''|''/g, "'"),
  );
  return paths.length >= 2 && paths.every((path) => existsSync(path));
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
