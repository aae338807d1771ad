import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { codeOf } from '../../src/search/system-error.ts';
import type { TempFolder } from '../search/temp-folder.ts';

/** Puts a link to `outside` in the place of `inner/real` and takes it away again, over and over. */
export function swapping(folder: TempFolder): AsyncDisposable {
  const [real, parked] = [folder.at('inner/real'), folder.at('inner/parked')];
  mkdirSync(real, { recursive: true });
  const done = new AbortController();
  const swapper = (async () => {
    while (!done.signal.aborted) {
      attempt(() => renameSync(real, parked));
      attempt(() => symlinkSync(folder.at('outside'), real));
      await setImmediate();
      attempt(() => rmSync(real, { recursive: true }));
      attempt(() => renameSync(parked, real));
      await setImmediate();
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      done.abort();
      await swapper;
    },
  };
}

/** A writer may have made the folder itself in between; the next round puts that right. */
function attempt(change: () => void): void {
  try {
    change();
  } catch (error) {
    codeOf(error);
  }
}
