import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HostClient } from './clients.ts';

export type InstalledClient = { readonly folder: string; readonly version: string };

const cacheFolder = join(import.meta.dirname, '../../../../node_modules/.cache/pawl-clients');

/** Installs a client from npm in a folder of its own, once; returns why it cannot be installed otherwise. */
export async function installClient(client: HostClient): Promise<InstalledClient | string> {
  const folder = join(cacheFolder, client.name);
  const manifest = join(folder, 'node_modules', client.packageName, 'package.json');
  try {
    if (!existsSync(join(folder, 'node_modules/.bin', client.bin)))
      await installPackage(client.packageName, folder);
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
    return { folder, version };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n').slice(-1);
    return line;
  }
}

const installTimeoutMs = 600_000;

async function installPackage(name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'error', name];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: installTimeoutMs });
}
