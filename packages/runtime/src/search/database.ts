import { type SQLInputValue, type SQLOutputValue, DatabaseSync } from 'node:sqlite';
import { isMarkdown, getFileWeight, isImportLine } from './file-kind.ts';
import { passageLimits } from './limits.ts';
import { extractHiddenWords } from './words.ts';

export type PassageRow = Record<string, SQLOutputValue>;

/** The passages of a folder in an in-memory database. */
export type PassageDatabase = {
  add(path: string, passage: TextPassage): void;
  /** Call once, after all passages are added. */
  seal(): void;
  /** Runs several changes in one transaction. */
  change(work: () => void): void;
  remove(path: string): void;
  size(): number;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly PassageRow[];
  count(condition: string, ...values: readonly SQLInputValue[]): number;
  close(): void;
};

/** Opens the database and creates its schema. */
export function openPassageDatabase(): PassageDatabase {
  const database = new DatabaseSync(':memory:');
  database.exec(passageSchema);
  const insert = database.prepare(
    'INSERT INTO passages (text, heading, outer, path, hidden, first, last, weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  let size = 0;
  database.exec('BEGIN');
  return {
    add(path, { text, headings, first, last }) {
      const outer = headings.slice(0, -1).join(' > ');
      const hidden = extractHiddenWords(`${path} ${text}`);
      insert.run(
        text,
        headings.at(-1) ?? '',
        outer,
        path,
        hidden,
        first,
        last,
        computePassageWeight(path, text),
      );
      size++;
    },
    seal() {
      database.exec("COMMIT; INSERT INTO passages (passages) VALUES ('optimize')");
    },
    change(work) {
      database.exec('BEGIN');
      try {
        work();
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    remove(path) {
      size -= Number(database.prepare('DELETE FROM passages WHERE path = ?').run(path).changes);
    },
    size: () => size,
    all: (sql, ...values) => database.prepare(sql).all(...values),
    count(condition, ...values) {
      const sql = `SELECT count(*) AS n FROM passages WHERE ${condition}`;
      return Number(database.prepare(sql).get(...values)?.['n']);
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/**
 * `heading` is the nearest heading, `outer` those above it; `hidden` are words that the tokenizer cannot see in the
 * text. `porter` lets "stops" find "stop". `vocabulary` lists all indexed words as stems.
 */
const passageSchema = `
  CREATE VIRTUAL TABLE passages USING fts5 (
    text, heading, outer, path, hidden, first UNINDEXED, last UNINDEXED, weight UNINDEXED,
    tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab ('passages', 'row')`;

/** Imports mention many names but explain nothing. */
const importsWeight = 0.2;

function computePassageWeight(path: string, text: string): number {
  const isImports = !isMarkdown(path) && text.split('\n').every(isImportLine);
  return getFileWeight(path) * (isImports ? importsWeight : 1);
}

/** A few lines of a file that belong together. Line numbers are 1-based, and `last` is inclusive. */
export type TextPassage = {
  readonly first: number;
  readonly last: number;
  /** The Markdown headings above, outermost first; empty in other files. */
  readonly headings: readonly string[];
  readonly text: string;
};

/**
 * Splits a text at headings and blank lines or, where there are none, after a number of lines. Blank lines between
 * passages belong to none. A line too long for one passage is split into several.
 */
export function* splitPassages(text: string, hasHeadings: boolean): Generator<TextPassage, void, undefined> {
  const headings = createHeadingTracker();
  let lines: string[] = [];
  let first = 1;
  function* flush(count: number): Generator<TextPassage, void, undefined> {
    yield* toPassage(lines.slice(0, count), first, headings.path());
    lines = lines.slice(count);
    first += count;
  }
  for (const line of iterateLines(text)) {
    const isHeading = hasHeadings && headings.isHeading(line);
    const kind = isHeading ? 'heading' : hasHeadings ? 'prose' : 'code';
    if (startsNewPassage(line, lines, kind)) yield* flush(lines.length);
    if (isHeading) headings.enter(line);
    if (line.length > passageLimits.chars) {
      yield* flush(lines.length);
      for (const piece of splitLongLine(line)) yield* toPassage([piece], first, headings.path());
      first++;
      continue;
    }
    lines.push(line);
    while (isTooLong(lines)) yield* flush(findCutIndex(lines));
  }
  yield* flush(lines.length);
}

/** Whether a line must start a new passage, however short the current one is. */
function startsNewPassage(
  line: string,
  lines: readonly string[],
  kind: 'heading' | 'prose' | 'code',
): boolean {
  switch (kind) {
    case 'heading':
      // A heading directly below another one stays with it, because alone it says nothing.
      return lines.some((above) => above !== '' && !above.startsWith('#'));
    case 'prose':
      return false;
    case 'code':
      return lines.every(isImportLine) && !isImportLine(line);
    default:
      return kind satisfies never;
  }
}

/**
 * Splits at `
 * ` or `\r
 * ` without building an array of possibly millions of lines.
 */
function* iterateLines(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    start = end + 1;
  }
}

function isTooLong(lines: readonly string[]): boolean {
  if (lines.length > passageLimits.lines) return true;
  return lines.length > 1 && lines.reduce((sum, line) => sum + line.length, 0) > passageLimits.chars;
}

/** Cuts after the last blank line unless that leaves too little; otherwise before the last line. */
function findCutIndex(lines: readonly string[]): number {
  const blank = lines.findLastIndex((line) => line.trim() === '');
  return blank + 1 >= lines.length / 4 && blank + 1 < lines.length ? blank + 1 : lines.length - 1;
}

function* toPassage(
  lines: readonly string[],
  first: number,
  headings: readonly string[],
): Generator<TextPassage, void, undefined> {
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start === -1) return;
  const end = lines.findLastIndex((line) => line.trim() !== '');
  const text = lines.slice(start, end + 1).join('\n');
  yield { first: first + start, last: first + end, headings, text };
}

/** Splits at a space near the limit if there is one, and never inside a surrogate pair. */
function* splitLongLine(line: string): Generator<string, void, undefined> {
  const { chars } = passageLimits;
  for (let start = 0; start < line.length;) {
    const space = line.lastIndexOf(' ', start + chars);
    let end = space > start + chars / 2 ? space + 1 : start + chars;
    if (/^[\uDC00-\uDFFF]/.test(line.slice(end, end + 1))) end++;
    yield line.slice(start, end);
    start = end;
  }
}

/** Tracks the headings of a Markdown text, and the code fences in which `#` is not a heading. */
function createHeadingTracker() {
  const openHeadings: { readonly level: number; readonly title: string }[] = [];
  let isFenced = false;
  return {
    isHeading(line: string): boolean {
      if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
      return !isFenced && /^#{1,6}\s/.test(line);
    },
    enter(line: string): void {
      const level = line.search(/[^#]/);
      while ((openHeadings.at(-1)?.level ?? 0) >= level) openHeadings.pop();
      openHeadings.push({
        level,
        title: line
          .slice(level)
          .replace(/\s#+\s*$/, '')
          .trim()
          .slice(0, 200),
      });
    },
    path(): readonly string[] {
      return openHeadings.map(({ title }) => title);
    },
  };
}
