import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type TempFolder = { readonly root: string; at(path: string): string; [Symbol.dispose](): void };

/** A real folder with these files, gone at the end of the block that holds it. */
export function createTempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): TempFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-')));
  const at = (path: string) => join(root, path);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  }
  return { root, at, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
