import { stripVTControlCharacters } from 'node:util';
import { OutputEndsBuffer, formatOutputEnds } from './output-cap.ts';
import { openSavedOutput, type SavedFile, type SavedOutput } from './saved-output.ts';

/** Bytes of each end of an output that go into the conversation. */
const endBytesMax = 10_000;

/** Collects a command's output: both ends for the conversation and, if it is longer, the full output in a file. */
export function createCommandOutput(root: string): {
  add(chunk: Buffer): Promise<void>;
  /** The text shown to the model; call it once, at the end. */
  text(): Promise<string>;
} {
  const buffer = new OutputEndsBuffer(endBytesMax);
  let saving: Promise<SavedOutput> | null = null;
  return {
    async add(chunk) {
      // Both streams may write concurrently, so capture the earlier bytes before the first await.
      const before = saving === null && buffer.total + chunk.length > 2 * endBytesMax ? buffer.ends() : null;
      buffer.add(chunk);
      if (before !== null) {
        saving = openSavedOutput(root).then(async (file) => {
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
      return stripVTControlCharacters(
        formatOutputEnds(buffer.ends(), (bytes) => formatOmissionNote(bytes, saved)),
      );
    },
  };
}

function formatOmissionNote(bytes: number, saved: SavedFile | null): string {
  if (saved === null) return `[… ${bytes} bytes left out; the output could not be saved …]`;
  const extent = saved.isComplete ? 'the full output is' : 'its beginning is';
  return `[… ${bytes} bytes left out; ${extent} in ${saved.path}, which you can read by line numbers …]`;
}
