import { stripVTControlCharacters } from 'node:util';
import { EndsOf, endsAsText } from './output-cap.ts';
import { saveOutput, type Saved, type SavedOutput } from './saved-output.ts';

/** How much of each end of an output goes into the conversation. */
const endBytesMax = 10_000;

/** What a command writes: both ends for the conversation, and when that is not all, the whole in a file. */
export function createCommandOutput(root: string): {
  add(chunk: Buffer): Promise<void>;
  /** All that is shown of it; to be called once, at the end. */
  text(): Promise<string>;
} {
  const kept = new EndsOf(endBytesMax);
  let saving: Promise<SavedOutput> | null = null;
  return {
    async add(chunk) {
      // Two streams may come at once: what belongs before this piece is noted before anything is waited for.
      const before = saving === null && kept.total + chunk.length > 2 * endBytesMax ? kept.ends() : null;
      kept.add(chunk);
      if (before !== null) {
        saving = saveOutput(root).then(async (file) => {
          await file.add(before.head);
          await file.add(before.tail);
          return file;
        });
      }
      if (saving === null) return;
      saving = saving.then(async (file) => {
        await file.add(chunk);
        return file;
      });
      await saving;
    },
    async text() {
      const saved = saving === null ? null : await (await saving).close();
      return stripVTControlCharacters(endsAsText(kept.ends(), (bytes) => note(bytes, saved)));
    },
  };
}

function note(bytes: number, saved: Saved | null): string {
  if (saved === null) return `[… ${bytes} bytes left out; they could not be saved …]`;
  const what = saved.isWhole ? 'all of it is' : 'as much as fits is';
  return `[… ${bytes} bytes left out; ${what} in ${saved.path}: read it by its line numbers …]`;
}
