import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getUserConfigFolder } from '../../src/platform/data-folder.ts';
import { createTrustStore, type TrustStore, TrustError } from '../../src/trust/trust-store.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

let scratch = '';
let path = '';
let folder = '';
let store: TrustStore;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'pawl-trust-'));
  path = join(scratch, 'config/pawl/trust');
  folder = join(scratch, 'project');
  mkdirSync(folder);
  store = createTrustStore(path);
});

afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const contents = { 'pawl.config.json': '{"hooks":[]}', 'AGENTS.md': 'Be nice.' };

function toSortedEntriesJson(one: object): string {
  return JSON.stringify(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe('createTrustStore', () => {
  it('trusts nothing by default and nothing after revocation', async () => {
    expect(await store.isTrusted(folder, contents)).toBe(false);
    expect(await store.isTrusted(folder, {})).toBe(false);
    await store.trust(folder, contents);
    expect(await store.isTrusted(folder, contents)).toBe(true);
    expect(await createTrustStore(path).isTrusted(folder, contents)).toBe(true);
    expect(await store.revoke(folder)).toBe(true);
    expect(await store.isTrusted(folder, contents)).toBe(false);
    expect(await store.revoke(folder)).toBe(false);
  });

  it('trusts exactly this content, in any order of files', async () => {
    await store.trust(folder, contents);
    const reversed = Object.fromEntries(Object.entries(contents).toReversed());
    expect(await store.isTrusted(folder, reversed)).toBe(true);
    for (const other of [
      { ...contents, 'pawl.config.json': '{"hooks":[1]}' },
      { ...contents, 'AGENTS.md': 'Be nice. ' },
      { ...contents, 'another.json': '' },
      { 'pawl.config.json': contents['pawl.config.json'] },
      {},
    ])
      expect(await store.isTrusted(folder, other)).toBe(false);
  });

  it('never confuses two contents', async () => {
    const text = fc.string({ unit: codePoint, maxLength: 8 });
    const any = fc.dictionary(fc.oneof(text, fc.constant('__proto__')), text, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(any, any, async (trusted, asked) => {
        await store.trust(folder, trusted);
        expect(await store.isTrusted(folder, trusted)).toBe(true);
        expect(await store.isTrusted(folder, asked)).toBe(
          toSortedEntriesJson(trusted) === toSortedEntriesJson(asked),
        );
      }),
      { numRuns: 60 },
    );
    await store.trust(folder, { a: '\ud800' });
    expect(await store.isTrusted(folder, { a: '\ufffd' })).toBe(false);
    expect(await store.isTrusted(folder, { a: '\ud801' })).toBe(false);
    await store.trust(folder, { a: 'b', c: 'd' });
    expect(await store.isTrusted(folder, { a: 'b","c":"d' })).toBe(false);
  });

  it('trusts the folder itself, under any path to it, and no other', { tags: ['unix'] }, async () => {
    await store.trust(folder, contents);
    const link = join(scratch, 'link');
    symlinkSync(folder, link);
    expect(await store.isTrusted(link, contents)).toBe(true);
    const copy = join(scratch, 'copy');
    renameSync(folder, copy);
    expect(await store.isTrusted(copy, contents)).toBe(false);
    // The link now leads nowhere, and the name it had may be given to another folder.
    await expect(store.isTrusted(link, contents)).rejects.toThrow(TrustError);
    expect(await store.revoke(folder)).toBe(true);
  });

  it(
    'stores its records atomically, for the owner only, and without file contents',
    { tags: ['unix'] },
    async () => {
      await store.trust(folder, contents);
      await store.trust(folder, { ...contents, more: 'the secret' });
      const names = readdirSync(path);
      expect(names).toHaveLength(1);
      const file = join(path, names[0] ?? '');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(readFileSync(file, 'utf8')).not.toContain('the secret');
    },
  );

  it("stores records in the user's config folder by default", async () => {
    vi.stubEnv('XDG_CONFIG_HOME', join(scratch, 'config'));
    await createTrustStore().trust(folder, contents);
    vi.unstubAllEnvs();
    expect(await store.isTrusted(folder, contents)).toBe(true);
  });

  it('loses no record when many folders are trusted concurrently', async () => {
    const folders = Array.from({ length: 30 }, (_, index) => join(scratch, `project-${index}`));
    for (const each of folders) mkdirSync(each);
    await Promise.all(folders.map((each) => createTrustStore(path).trust(each, contents)));
    const trusted = await Promise.all(folders.map((each) => store.isTrusted(each, contents)));
    expect(trusted).toEqual(folders.map(() => true));
  });

  it('rejects a record that others could have written', { tags: ['unix'] }, async () => {
    await store.trust(folder, contents);
    const file = join(path, readdirSync(path)[0] ?? '');
    chmodSync(file, 0o666);
    await expect(store.isTrusted(folder, contents)).rejects.toThrow(
      'Other users can change this trust record',
    );
    chmodSync(file, 0o600);
    chmodSync(path, 0o777);
    await expect(store.isTrusted(folder, contents)).rejects.toThrow(TrustError);
    chmodSync(path, 0o700);
    expect(await store.isTrusted(folder, contents)).toBe(true);
  });

  it('ignores a damaged record', async () => {
    for (const text of ['', 'not JSON', 'null', '{"folder":null}', 'x'.repeat(100_000)]) {
      await store.trust(folder, contents);
      writeFileSync(join(path, readdirSync(path)[0] ?? ''), text);
      expect(await store.isTrusted(folder, contents)).toBe(false);
      await store.trust(folder, contents);
      expect(await store.isTrusted(folder, contents)).toBe(true);
    }
  });

  it('explains what to do if records cannot be written or read', async () => {
    writeFileSync(join(scratch, 'file'), '');
    const stuck = createTrustStore(join(scratch, 'file/trust'));
    await expect(stuck.isTrusted(folder, contents)).rejects.toThrow(/cannot be read: .*remove it/);
    await expect(stuck.trust(folder, contents)).rejects.toThrow(/cannot be written: .*Free some disk space/);
    await expect(store.trust(join(scratch, 'missing'), contents)).rejects.toThrow(/no such folder/);
  });
});

describe('getUserConfigFolder', () => {
  it('follows the XDG standard', () => {
    expect(getUserConfigFolder({ XDG_CONFIG_HOME: '/a/b' })).toBe('/a/b/pawl');
    expect(getUserConfigFolder({})).toBe(join(homedir(), '.config/pawl'));
    expect(getUserConfigFolder({ XDG_CONFIG_HOME: 'relative' })).toBe(join(homedir(), '.config/pawl'));
  });
});
