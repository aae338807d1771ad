import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { makeFolderFor } from '../data-folder.ts';
import { UsageError } from '../usage-error.ts';
import { keyOf, marksIn, type MarkShelf, type VerdictMark, type VerdictMarks } from './verdict-marks.ts';

/** Marks beside a database, in a file that only grows, except where one is taken back. */
export function marksBeside(database: string): MarkShelf {
  const path = fileFor(database);
  return {
    keep: async (given) => keepMark(path, given),
    forget: async (verdict) => forget(path, keyOf(verdict)),
    read: async () => readMarks(database),
  };
}

/** All that there are, also on sessions that are gone. */
export function readMarks(database: string): VerdictMarks {
  const lines = contentOf(fileFor(database)).split('\n');
  return marksIn(lines.filter((line) => line.trim() !== ''));
}

function fileFor(database: string): string {
  return `${database}.marks.jsonl`;
}

function keepMark(path: string, given: VerdictMark): void {
  try {
    makeFolderFor(path);
    // A line that was cut off must not swallow this one.
    appendFileSync(path, `\n${JSON.stringify(given)}\n`, { mode: 0o600 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The mark cannot be kept in ${path}: ${why}`, { cause: error });
  }
}

/** A mark that was taken back is nobody's opinion. */
function forget(path: string, key: string): void {
  makeFolderFor(path);
  const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n');
  const kept = lines.filter((line) => line.trim() !== '' && keyIn(line) !== key);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(temporary, path);
}

/** Null for a line that is no mark, which is left as it is. */
function keyIn(line: string): string | null {
  const [mark] = marksIn([line]).marks;
  return mark === undefined ? null : keyOf(mark);
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The marks on verdicts cannot be read from ${path}: ${why}`, { cause: error });
  }
}
