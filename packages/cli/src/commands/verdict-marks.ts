import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { dataFolder, makeFolderFor, nameFor } from '../data-folder.ts';
import { UsageError } from '../usage-error.ts';

const mark = z.object({
  at: z.number(),
  session: z.string(),
  seq: z.number(),
  rule: z.string(),
  mark: z.enum(['right', 'wrong']),
  note: z.nullable(z.string()),
});

/** What a person thinks of a verdict: of this rule, in this session, at this event. */
export type VerdictMark = Readonly<z.infer<typeof mark>>;

/** `unread` is how many lines are none, such as one that was cut off. */
export type VerdictMarks = { readonly marks: readonly VerdictMark[]; readonly unread: number };

/**
 * Marks lie beside the database: what was said about a session later is no part of its log. Those on sessions in Redis are
 * with whoever made them.
 */
export function fileFor(store: string): string {
  if (!/^rediss?:/.test(store)) return `${store}.marks.jsonl`;
  return join(dataFolder(), 'marks', `${nameFor(store)}.jsonl`);
}

export function keepMark(store: string, given: VerdictMark): void {
  const path = fileFor(store);
  try {
    makeFolderFor(path);
    // A line that was cut off must not swallow this one.
    appendFileSync(path, `\n${JSON.stringify(given)}\n`, { mode: 0o600 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The mark cannot be kept in ${path}: ${why}`, { cause: error });
  }
}

/** Of several marks on one verdict the last one counts. */
export function readMarks(store: string): VerdictMarks {
  const lines = contentOf(fileFor(store))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const read = lines.flatMap((line) => markIn(line) ?? []);
  const latest = new Map(read.map((each) => [keyOf(each), each]));
  return { marks: [...latest.values()], unread: lines.length - read.length };
}

/** Names a verdict. */
export function keyOf({ session, seq, rule }: Pick<VerdictMark, 'session' | 'seq' | 'rule'>): string {
  return JSON.stringify([session, seq, rule]);
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

function markIn(line: string): VerdictMark | null {
  try {
    return mark.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
