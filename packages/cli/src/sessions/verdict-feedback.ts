import * as z from 'zod';

const feedbackSchema = z.object({
  at: z.number(),
  session: z.string(),
  seq: z.number(),
  rule: z.string(),
  mark: z.enum(['right', 'wrong']),
  note: z.nullable(z.string()),
});

/** A person's feedback on a verdict: a rule, in a session, at an event. */
export type SessionVerdictFeedback = Readonly<z.infer<typeof feedbackSchema>>;

type VerdictKey = Pick<SessionVerdictFeedback, 'session' | 'seq' | 'rule'>;

/** `unread` counts invalid lines, such as truncated ones. */
export type FeedbackReadResult = {
  readonly marks: readonly SessionVerdictFeedback[];
  readonly unread: number;
};

/** Stores feedback beside the sessions, outside their logs. */
export type VerdictFeedbackRepository = {
  keep(feedback: SessionVerdictFeedback): Promise<void>;
  /** Withdraws feedback. */
  forget(verdict: VerdictKey): Promise<void>;
  /** Reads at least the feedback on these sessions. The latest feedback on a verdict counts. */
  read(sessions: readonly string[]): Promise<FeedbackReadResult>;
};

export function getFeedbackKey({ session, seq, rule }: VerdictKey): string {
  return JSON.stringify([session, seq, rule]);
}

/** Parses lines; the latest feedback on each verdict counts. */
export function parseFeedbackLines(lines: readonly string[]): FeedbackReadResult {
  const read = lines.flatMap((line) => parseFeedbackLine(line) ?? []);
  const latest = new Map(read.map((each) => [getFeedbackKey(each), each]));
  return { marks: [...latest.values()], unread: lines.length - read.length };
}

function parseFeedbackLine(line: string): SessionVerdictFeedback | null {
  try {
    return feedbackSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
