import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { getSystemErrorCode } from '../../src/platform/files.ts';
import type { TempFolder } from '../search/temp-folder.ts';

/** Puts a link to `outside` in the place of `inner/real` and takes it away again, over and over. */
export function startLinkSwapper(folder: TempFolder): AsyncDisposable {
  const [real, parked] = [folder.at('inner/real'), folder.at('inner/parked')];
  mkdirSync(real, { recursive: true });
  const done = new AbortController();
  const swapper = (async () => {
    while (!done.signal.aborted) {
      attemptChange(() => renameSync(real, parked));
      attemptChange(() => symlinkSync(folder.at('outside'), real));
      await setImmediate();
      attemptChange(() => rmSync(real, { recursive: true }));
      attemptChange(() => renameSync(parked, real));
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
function attemptChange(change: () => void): void {
  try {
    change();
  } catch (error) {
    getSystemErrorCode(error);
  }
}
