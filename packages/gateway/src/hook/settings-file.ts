import { existsSync, lstatSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@pawl/governor';
import { ensureParentFolder } from '@pawl/runtime/data-folder';
import { replaceFileSync } from '@pawl/runtime/platform';
import { toJsonFields, type JsonFields } from '../json-fields.ts';
import type { HookHost } from './hook-event.ts';

/** The hooks cannot be installed until the user has corrected what the message names. */
export class HookInstallError extends Error {
  override readonly name = 'HookInstallError';
}

/** Returns the path of a host's hook settings: the user's for all projects, or those of one project. */
export function getSettingsPath(
  host: HookHost['name'],
  project: string | null,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { folder, file } = settingsLocations[host];
  if (project !== null) return join(project, folder, file);
  const { chosen, inside } = settingsFolderVariables[host];
  const path = env[chosen] ?? '';
  return path === '' ? join(homedir(), folder, file) : join(path, inside, file);
}

const settingsLocations = {
  claude: { folder: '.claude', file: 'settings.json' },
  codex: { folder: '.codex', file: 'hooks.json' },
  gemini: { folder: '.gemini', file: 'settings.json' },
} as const satisfies Record<HookHost['name'], object>;

/** The environment variable that overrides each host's settings folder, and the path inside it. */
const settingsFolderVariables = {
  claude: { chosen: 'CLAUDE_CONFIG_DIR', inside: '.' },
  codex: { chosen: 'CODEX_HOME', inside: '.' },
  gemini: { chosen: 'GEMINI_CLI_HOME', inside: '.gemini' },
} as const satisfies Record<HookHost['name'], object>;

/** Reads a settings file; empty if there is none. */
export function readHostSettings(path: string): JsonFields {
  if (!existsSync(path)) return {};
  const settings = toJsonFields(parseSettingsJson(path, readFileSync(path, 'utf8')));
  if (settings === null)
    throw new HookInstallError(`${path} holds no JSON object. Put it right, then try again.`);
  return settings;
}

function parseSettingsJson(path: string, text: string): Json {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch (error) {
    throw new HookInstallError(
      `${path} is not plain JSON (${error instanceof Error ? error.message : String(error)}). Take out comments, or put it right, then try again.`,
      { cause: error },
    );
  }
}

/** Writes the file atomically with its existing indentation; a symbolic link is preserved. */
export function writeHostSettings(path: string, settings: JsonFields): void {
  ensureParentFolder(path);
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const target = isThere ? realpathSync.native(path) : path;
  const before = isThere ? readFileSync(target, 'utf8') : '';
  const indent = /^\{\r?\n([ \t]+)/.exec(before)?.[1] ?? '  ';
  const temporary = `${target}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(settings, null, indent)}\n`, {
    mode: isThere ? statSync(target).mode & 0o777 : 0o600,
  });
  replaceFileSync(temporary, target);
}
