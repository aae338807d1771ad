import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findStoreProblem } from '@pawl/runtime/config';
import { getDataFolder } from '@pawl/runtime/data-folder';
import { UsageError } from '../src/output/exit-codes.ts';
import { openStore, openConfiguredStore, openStoreOrMemory } from '../src/sessions/store-option.ts';

let folder = '';
const before = process.env['XDG_DATA_HOME'];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-store-'));
  process.env['XDG_DATA_HOME'] = join(folder, 'data');
});
afterEach(() => {
  process.env['XDG_DATA_HOME'] = before;
  rmSync(folder, { recursive: true, force: true });
});

async function getOpenedPath(...args: Parameters<typeof openStore>): Promise<string | null> {
  const opened = await openStore(...args);
  await opened.close();
  return opened.path;
}

const getPlatformDataFolder = (platform: NodeJS.Platform, env = {}): string =>
  getDataFolder({ platform, env });
const getTestPath = (name: string): string => join(folder, name);

async function getConfiguredPath(store?: string): Promise<string | null> {
  const found = await openConfiguredStore({ dir: folder, store });
  await found.close();
  return found.path;
}

describe('the session store', () => {
  it('is in the data folder of the platform, accessible only to its owner', { tags: ['unix'] }, async () => {
    const path = join(folder, 'data', 'pawl', 'sessions.db');
    expect(await getOpenedPath({ dir: folder }, {})).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(getPlatformDataFolder('linux')).toBe(posix.join(homedir(), '.local', 'share', 'pawl'));
    expect(getPlatformDataFolder('darwin')).toBe(
      posix.join(homedir(), 'Library', 'Application Support', 'pawl'),
    );
    expect(getPlatformDataFolder('win32', { LOCALAPPDATA: '/local' })).toBe(win32.join('/local', 'pawl'));
    expect(getPlatformDataFolder('win32')).toBe(win32.join(homedir(), 'AppData', 'Local', 'pawl'));
    expect(getPlatformDataFolder('darwin', { XDG_DATA_HOME: '/x' })).toBe(posix.join('/x', 'pawl'));
  });

  it('is selected by the flag, then the environment, then the configuration', async () => {
    const config = join(process.env['XDG_CONFIG_HOME'] ?? '', 'pawl');
    process.env['XDG_CONFIG_HOME'] = getTestPath('config');
    mkdirSync(getTestPath('config/pawl'), { recursive: true });
    writeFileSync(getTestPath('config/pawl/pawl.config.json'), JSON.stringify({ store: 'mine.db' }));
    try {
      expect(await getConfiguredPath()).toBe(getTestPath('config/pawl/mine.db'));
      process.env['PAWL_STORE'] = getTestPath('env.db');
      expect(await getConfiguredPath()).toBe(getTestPath('env.db'));
      expect(await getConfiguredPath(getTestPath('flag.db'))).toBe(getTestPath('flag.db'));
      expect(await getConfiguredPath('workspace')).toBe(getTestPath('.pawl/sessions.db'));
      expect(await getConfiguredPath('none')).toBeNull();
    } finally {
      delete process.env['PAWL_STORE'];
      process.env['XDG_CONFIG_HOME'] = join(config, '..');
    }
  });

  it('falls back to memory with a warning if the default store cannot be opened', async () => {
    writeFileSync(join(folder, 'data'), 'in the way');
    const opened = await openStoreOrMemory({ dir: folder }, {});
    expect(opened.path).toBeNull();
    expect(opened.warning).toMatch(/Cannot open the session store .*This session will not be saved\.$/);
    await opened.close();
    const named = openStoreOrMemory({ dir: folder, store: 'user' }, {});
    await expect(named).rejects.toThrow(/Cannot open the session store/);
  });

  it('is not treated as empty if the default store cannot be read', async () => {
    const opened = await openConfiguredStore({ dir: folder });
    await opened.close();
    const database = new DatabaseSync(opened.path ?? '');
    database.exec('PRAGMA user_version = 99');
    database.close();
    await expect(openConfiguredStore({ dir: folder })).rejects.toThrow(
      /newer version of Pawl.*Update Pawl\.$/,
    );
  });

  it('is trusted only if it was created on this machine', async () => {
    const path = join(folder, 'project', '.pawl', 'sessions.db');
    const open = async (): Promise<boolean> => {
      const opened = await openStore({ dir: join(folder, 'project'), store: 'workspace' }, {});
      await opened.close();
      return opened.isOwn;
    };
    expect(await open()).toBe(true);
    expect(await open()).toBe(true);
    // Another file under the same name, as in a checkout of a project.
    renameSync(path, join(folder, 'old.db'));
    copyFileSync(join(folder, 'old.db'), path);
    expect(await open()).toBe(false);
  });

  it.each([
    ['nowhere', '"nowhere" is not a valid session store.'],
    ['workspce', 'Did you mean workspace?'],
    ['reddis://host:6379', 'A location that starts with "reddis:"'],
    ['redis', '"redis" is not a valid session store.'],
    ['redis:', 'A location that starts with "redis:"'],
    ['redis:user:secret@host', 'A location that starts with "redis:"'],
    ['redis://', 'A Redis store needs a host.'],
    ['redis://user:secret@:6379', 'A Redis store needs a host.'],
    ['sqlite:', 'A location that starts with "sqlite:"'],
    ['sqlite:sessions.db', 'A location that starts with "sqlite:"'],
    ['postgres://user:secret@host/db', 'A location that starts with "postgres:"'],
    ['', '"" is not a valid session store.'],
    ['.', '"." is not a valid session store.'],
  ])('rejects %j, by flag, variable and configuration, and creates nothing', async (store, problem) => {
    const cwd = process.cwd();
    const configHome = process.env['XDG_CONFIG_HOME'];
    const work = getTestPath('work');
    mkdirSync(work);
    mkdirSync(getTestPath('config/pawl'), { recursive: true });
    const configFile = getTestPath('config/pawl/pawl.config.json');
    writeFileSync(configFile, JSON.stringify({ store }));
    process.chdir(work);
    try {
      const messages = [await readProblem({ dir: work, store })];
      process.env['XDG_CONFIG_HOME'] = getTestPath('config');
      messages.push(await readProblem({ dir: work }));
      process.env['XDG_CONFIG_HOME'] = configHome;
      process.env['PAWL_STORE'] = store;
      if (store !== '') messages.push(await readProblem({ dir: work }));
      const sources = [
        '--store: ',
        `${JSON.stringify(configFile)}, line 1: store: `,
        'variable PAWL_STORE: ',
      ];
      for (const [index, message] of messages.entries()) {
        expect(message).toContain(sources[index]);
        if (store !== '' || index === 0) expect(message).toContain(problem);
        if (store !== '' || index === 0)
          expect(message).toMatch(/Use user, workspace, none, a database file such as .*, or redis:/);
        expect(message).not.toContain('secret@');
        expect(message).not.toContain('\n');
      }
      expect(readdirSync(work)).toEqual([]);
    } finally {
      process.chdir(cwd);
      delete process.env['PAWL_STORE'];
      process.env['XDG_CONFIG_HOME'] = configHome;
    }
  });

  it.each(['./nowhere', 'sessions.db', 'kept/sessions', String.raw`kept\sessions`, 'a.sqlite', 'b.sqlite3'])(
    'accepts the file %j',
    (store) => expect(findStoreProblem(store)).toBeNull(),
  );

  it('rejects a folder and a file that is no store, and does not change them', async () => {
    mkdirSync(getTestPath('kept.db'));
    writeFileSync(getTestPath('notes.db'), 'Buy milk.\n');
    const foreign = new DatabaseSync(getTestPath('foreign.db'));
    foreign.exec('CREATE TABLE birds (name TEXT)');
    foreign.close();
    const contents = readFileSync(getTestPath('foreign.db'));
    expect(await readProblem({ dir: folder, store: getTestPath('kept.db') })).toMatch(/is a folder\. Name a/);
    expect(await readProblem({ dir: folder, store: getTestPath('notes.db') })).toMatch(/not a database/);
    expect(await readProblem({ dir: folder, store: getTestPath('foreign.db') })).toMatch(/another program/);
    expect(await readProblem({ dir: folder, store: getTestPath('notes.db/x.db') })).toMatch(/Cannot open/);
    expect(readFileSync(getTestPath('notes.db'), 'utf8')).toBe('Buy milk.\n');
    expect(readFileSync(getTestPath('foreign.db'))).toEqual(contents);
    expect(readdirSync(getTestPath('kept.db'))).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(['foreign.db', 'kept.db', 'notes.db']);
  });
});

async function readProblem(flags: Parameters<typeof openConfiguredStore>[0]): Promise<string> {
  const opened = await openConfiguredStore(flags).catch((error: unknown) => error);
  expect(opened).toBeInstanceOf(UsageError);
  return opened instanceof Error ? opened.message : '';
}
