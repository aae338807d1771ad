import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Marks } from '@pawl/dashboard';
import { makeFolderFor } from '../data-folder.ts';
import { fileFor, keepMark, keyOf, readMarks } from './verdict-marks.ts';

/** The marks of `pawl verdict`, for the dashboard. `store` is the database that they lie beside. */
export function marksBeside(store: string): Marks {
  return {
    async of(session) {
      const { marks } = readMarks(store);
      return marks.flatMap(({ session: its, ...mark }) => (its === session ? [mark] : []));
    },
    async keep(session, { mark, ...verdict }) {
      if (mark === null) forget(store, keyOf({ session, ...verdict }));
      else keepMark(store, { session, ...verdict, mark });
    },
  };
}

/** The file only ever grows, except here: a mark that was taken back is nobody's opinion. */
function forget(store: string, key: string): void {
  const path = fileFor(store);
  makeFolderFor(path);
  const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n');
  const kept = lines.filter((line) => line.trim() !== '' && keyIn(line) !== key);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(temporary, path);
}

/** Null for a line that is no mark, which is left as it is. */
function keyIn(line: string): string | null {
  try {
    const mark = JSON.parse(line) as Parameters<typeof keyOf>[0] | null;
    return typeof mark === 'object' && mark !== null ? keyOf(mark) : null;
  } catch {
    return null;
  }
}
