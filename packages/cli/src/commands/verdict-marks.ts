import * as z from 'zod';

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

type Verdict = Pick<VerdictMark, 'session' | 'seq' | 'rule'>;

/** `unread` is how many of what was there are none, such as a line that was cut off. */
export type VerdictMarks = { readonly marks: readonly VerdictMark[]; readonly unread: number };

/** Where marks are kept: with the sessions, as no part of their logs. */
export type MarkShelf = {
  keep(given: VerdictMark): Promise<void>;
  /** Takes a mark back. */
  forget(verdict: Verdict): Promise<void>;
  /** Those on these sessions, at least. Of several marks on one verdict the last one counts. */
  read(sessions: readonly string[]): Promise<VerdictMarks>;
};

/** Names a verdict. */
export function keyOf({ session, seq, rule }: Verdict): string {
  return JSON.stringify([session, seq, rule]);
}

/** What some lines say, the latest on each verdict. */
export function marksIn(lines: readonly string[]): VerdictMarks {
  const read = lines.flatMap((line) => markIn(line) ?? []);
  const latest = new Map(read.map((each) => [keyOf(each), each]));
  return { marks: [...latest.values()], unread: lines.length - read.length };
}

function markIn(line: string): VerdictMark | null {
  try {
    return mark.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
