import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataFolder, makeFolderFor } from '../data-folder.ts';

/**
 * Opens an address in the user's browser; returns what tidies up after it. Everybody on the machine can see what programs
 * are started with, so the browser is sent to a file of the user's own, which sends it on.
 */
export function openInBrowser(url: string, { env, platform }: Machine = process): () => void {
  const program = programFor(platform, env);
  if (program === null) return () => undefined;
  const file = join(dataFolder(), `dashboard-${process.pid}.html`);
  const tidy = (): void => rmSync(file, { force: true });
  makeFolderFor(file);
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Pawl</title>\n`,
    { mode: 0o600 },
  );
  const [name, ...args] = program;
  const child = spawn(name, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  // Without a browser the address is still there to be copied.
  child.on('error', tidy);
  child.unref();
  return tidy;
}

type Machine = { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform };

/** Null where there is no screen to open anything on. */
function programFor(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | null {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') === '' ? null : ['xdg-open'];
}
