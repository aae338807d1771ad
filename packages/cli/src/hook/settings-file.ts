import {
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import { makeFolderFor } from '../data-folder.ts';
import { UsageError } from '../usage-error.ts';
import { fieldsOf, type Fields } from '../json-fields.ts';
import type { Host } from './fact.ts';

/** Where a host keeps its hooks: the user's own for all projects, or those of one project. */
export function settingsPath(
  host: Host['name'],
  project: string | null,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { folder, file } = places[host];
  if (project !== null) return join(project, folder, file);
  const { chosen, inside } = chosenFolders[host];
  const path = env[chosen] ?? '';
  return path === '' ? join(homedir(), folder, file) : join(path, inside, file);
}

const places = {
  claude: { folder: '.claude', file: 'settings.json' },
  codex: { folder: '.codex', file: 'hooks.json' },
  gemini: { folder: '.gemini', file: 'settings.json' },
} as const satisfies Record<Host['name'], object>;

/** The variable by which each host is told another place, and where it looks in there. */
const chosenFolders = {
  claude: { chosen: 'CLAUDE_CONFIG_DIR', inside: '.' },
  codex: { chosen: 'CODEX_HOME', inside: '.' },
  gemini: { chosen: 'GEMINI_CLI_HOME', inside: '.gemini' },
} as const satisfies Record<Host['name'], object>;

/** What a file of settings holds; nothing where there is none. */
export function readSettings(path: string): Fields {
  if (!existsSync(path)) return {};
  const settings = fieldsOf(parsed(path, readFileSync(path, 'utf8')));
  if (settings === null) throw new UsageError(`${path} holds no JSON object. Put it right, then try again.`);
  return settings;
}

function parsed(path: string, text: string): Json {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch (error) {
    throw new UsageError(
      `${path} is not plain JSON (${error instanceof Error ? error.message : String(error)}). Take out comments, or put it right, then try again.`,
      { cause: error },
    );
  }
}

/** Writes the whole file or nothing, as it was indented; a link stays one. */
export function writeSettings(path: string, settings: Fields): void {
  makeFolderFor(path);
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const target = isThere ? realpathSync(path) : path;
  const before = isThere ? readFileSync(target, 'utf8') : '';
  const indent = /^\{\r?\n([ \t]+)/.exec(before)?.[1] ?? '  ';
  const temporary = `${target}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(settings, null, indent)}\n`, {
    mode: isThere ? statSync(target).mode & 0o777 : 0o600,
  });
  renameSync(temporary, target);
}
