import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getDataFolder, ensureParentFolder } from '@pawl/runtime/data-folder';

/**
 * Opens an address in the user's browser and returns a cleanup function. Any user of the machine can read process
 * arguments, so the browser opens a private file that redirects to the address.
 */
export function openUrlInBrowser(url: string, { env, platform }: PlatformEnvironment = process): () => void {
  const command = browserCommand(platform, env);
  if (command === null) return () => undefined;
  const file = join(getDataFolder(), `dashboard-${process.pid}.html`);
  const removeFile = (): void => rmSync(file, { force: true });
  ensureParentFolder(file);
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Pawl</title>\n`,
    { mode: 0o600 },
  );
  const [program, ...args] = command;
  const child = spawn(program, [...args, pathToFileURL(file).href], {
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  });
  // Without a browser, the user can still copy the address.
  child.on('error', removeFile);
  child.unref();
  return removeFile;
}

type PlatformEnvironment = { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform };

/** Returns the command that opens an address given as its last argument; null without a display. */
export function browserCommand(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | null {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') === '' ? null : ['xdg-open'];
}
