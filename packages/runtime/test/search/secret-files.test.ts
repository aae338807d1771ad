import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexFolder } from '../../src/search-entry.ts';
import { isSecretFile } from '../../src/search/walk.ts';

describe('files with secrets', () => {
  it.each([
    '.env',
    '.env.local',
    'config/.ENV.production',
    '.npmrc',
    'deploy/id_ed25519',
    'server.pem',
    'tls.key',
    'secrets.yaml',
    'credentials.json',
    'id_rsa.bak',
    '.git-credentials',
    'service-account-prod.json',
  ])('are recognized by their names: %s', (path) => expect(isSecretFile(path)).toBe(true));

  it.each([
    '.env.example',
    'environment.ts',
    'keys.md',
    'src/secrets.ts',
    'monkey.txt',
    'id_rsa.md',
    'id_rsa.pub',
    'id_rsability.ts',
    'key.json',
  ])('do not include %s', (path) => expect(isSecretFile(path)).toBe(false));

  it('are excluded from the index, and reported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-secret-'));
    try {
      await writeFile(join(folder, '.env'), 'PASSWORD=hunter2\n');
      await writeFile(join(folder, 'notes.md'), 'The password is somewhere else.\n');
      using index = await indexFolder(folder);
      expect(index.paths).toEqual(['notes.md']);
      expect(index.skips).toEqual([{ path: '.env', reason: 'secret' }]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
