import type { Verdict } from '@pawl/core';
import { listVerdicts } from '@pawl/core/projections';
import type { SessionSummary, Store } from '@pawl/runtime/store';
import { formatNameSuggestion } from '@pawl/runtime/suggestions';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { openConfiguredStore, type SessionFlags } from '../../sessions/store-option.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { LineOutput } from '../../output/line-output.ts';
import { findSession } from '../../sessions/find-session.ts';
import { parseWholeNumberOption } from '../../options/parse-options.ts';
import { openSessionReplay } from '../../sessions/session-replay.ts';
import {
  getFeedbackKey,
  type VerdictFeedbackRepository,
  type SessionVerdictFeedback,
} from '../../sessions/verdict-feedback.ts';
import { formatCell, truncateColumns, getOutputWidth } from '../../output/columns.ts';

export type VerdictCommandOptions = SessionFlags & {
  readonly rule?: string | undefined;
  readonly event?: string | undefined;
  readonly note?: string | undefined;
};

/** Records feedback on a verdict as right or wrong; without feedback, lists a session's verdicts. */
export async function runVerdict(
  sessionRef: string,
  rating: string | undefined,
  options: VerdictCommandOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const mark = rating === undefined ? null : parseVerdictRating(rating);
  const opened = await openConfiguredStore(options);
  try {
    const { store, marks } = opened;
    if (marks === null) {
      throw new UsageError(
        '--store none saves nothing, so there are no verdicts to mark. Choose another store.',
      );
    }
    const summary = await findSession(store, sessionRef, options.dir);
    const verdicts = await findSessionVerdicts(store, summary);
    const output = new LineOutput(io.stdout);
    const context = { marks, session: summary.id, output, io };
    if (mark === null) await writeVerdictList(verdicts, context, options);
    else await saveVerdictFeedback(selectVerdict(verdicts, options), mark, context, options);
    return exitCodes.finished;
  } finally {
    await opened.close();
  }
}

type SessionVerdict = Verdict & { readonly seq: number };

type VerdictContext = {
  readonly marks: VerdictFeedbackRepository;
  readonly session: string;
  readonly output: LineOutput;
  readonly io: CommandIo;
};

function parseVerdictRating(rating: string): SessionVerdictFeedback['mark'] {
  if (rating === 'right' || rating === 'wrong') return rating;
  const hint = formatNameSuggestion(rating, ['right', 'wrong']);
  throw new UsageError(`A verdict can be marked right or wrong, got ${JSON.stringify(rating)}.${hint}`);
}

async function findSessionVerdicts(
  store: Store,
  { id, head }: SessionSummary,
): Promise<readonly SessionVerdict[]> {
  const verdicts: SessionVerdict[] = [];
  const { walked } = await openSessionReplay(store, id, head);
  for await (const each of walked) verdicts.push(...listVerdicts(each));
  if (verdicts.length > 0) return verdicts;
  throw new UsageError(`Session ${sanitizeOneLine(id)} has no verdicts.`);
}

/** Selects the verdict that the options name; of several, the last, which is the one that users see. */
function selectVerdict(
  verdicts: readonly SessionVerdict[],
  { rule, event }: VerdictCommandOptions,
): SessionVerdict {
  const seq = event === undefined ? null : parseWholeNumberOption('--event', event, 1);
  const match = verdicts.findLast(
    (each) => (rule === undefined || each.rule === rule) && (seq === null || each.seq === seq),
  );
  if (match !== undefined) return match;
  const available = verdicts
    .slice(-maxListedVerdicts)
    .map((each) => `${truncateColumns(each.rule, 40)} at event ${each.seq}`);
  throw new UsageError(`No matching verdict in this session. Available: ${available.join(', ')}.`);
}

const maxListedVerdicts = 10;

async function saveVerdictFeedback(
  { seq, rule, reason, severity }: SessionVerdict,
  mark: SessionVerdictFeedback['mark'],
  { marks, session, output }: VerdictContext,
  options: VerdictCommandOptions,
): Promise<void> {
  const note = options.note ?? null;
  await marks.keep({ at: Date.now(), session, seq, rule, mark, note });
  const rated = { session, seq, rule, severity, reason, mark, note };
  await output.write(
    options.json === true
      ? JSON.stringify(rated)
      : `Marked as ${mark}: ${truncateColumns(rule, 40)} at event ${seq}, ${truncateColumns(reason, 200)}`,
  );
}

async function writeVerdictList(
  verdicts: readonly SessionVerdict[],
  { marks: repository, session, output, io }: VerdictContext,
  { rule, event, note, json }: VerdictCommandOptions,
): Promise<void> {
  if ((rule ?? event ?? note) !== undefined) {
    throw new UsageError('Add right or wrong, for example: pawl verdict last wrong');
  }
  const { marks: feedback } = await repository.read([session]);
  const marks = new Map(feedback.map((each) => [getFeedbackKey(each), each]));
  for (const each of verdicts) {
    const { seq, severity, reason } = each;
    const marked = marks.get(getFeedbackKey({ session, seq, rule: each.rule }));
    const rated = { mark: marked?.mark ?? null, note: marked?.note ?? null };
    const row = { session, seq, rule: each.rule, severity, reason, ...rated };
    await output.write(
      json === true ? JSON.stringify(row) : formatVerdictEntry(row, getOutputWidth(io.stdout)),
    );
  }
}

type VerdictListEntry = Omit<SessionVerdictFeedback, 'at' | 'mark'> & {
  readonly mark: SessionVerdictFeedback['mark'] | null;
  readonly severity: string;
  readonly reason: string;
};

function formatVerdictEntry(
  { seq, rule, severity, reason, mark, note }: VerdictListEntry,
  width: number,
): string {
  const noteText = note === null ? '' : ` (${note})`;
  const start = [
    formatCell(String(seq), 6, 'right'),
    formatCell(severity, 7),
    formatCell(rule, 20),
    formatCell(mark ?? '-', 5),
  ].join('  ');
  return `${start}  ${truncateColumns(`${reason}${noteText}`, Math.max(20, width - start.length - 2))}`;
}
