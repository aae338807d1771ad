import type { Verdict } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { openConfiguredStore } from '../store-option.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { LineOutput } from './line-output.ts';
import { findSession } from './find-session.ts';
import { parseWholeNumberOption } from './number-options.ts';
import type { SessionFlags } from './session-store.ts';
import { openSessionReplay } from './session-replay.ts';
import { listVerdicts } from './step-record.ts';
import {
  getFeedbackKey,
  type VerdictFeedbackRepository,
  type SessionVerdictFeedback,
} from './verdict-feedback.ts';
import { formatCell, truncateColumns, getOutputWidth } from './columns.ts';
import { formatNameSuggestion } from '../parse-choice.ts';

export type VerdictCommandOptions = SessionFlags & {
  readonly rule?: string | undefined;
  readonly event?: string | undefined;
  readonly note?: string | undefined;
};

/** Records feedback on a verdict as right or wrong; without feedback, lists a session's verdicts. */
export async function runVerdict(
  word: string,
  given: string | undefined,
  options: VerdictCommandOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const mark = given === undefined ? null : parseVerdictRating(given);
  const opened = await openConfiguredStore(options);
  try {
    const { store, marks } = opened;
    if (marks === null) {
      throw new UsageError(
        'Nothing is kept with --store none, so there is nothing to mark. Name another store.',
      );
    }
    const summary = await findSession(store, word, options.dir);
    const found = await findSessionVerdicts(store, summary);
    const output = new LineOutput(io.stdout);
    const place = { marks, session: summary.id, output, io };
    if (mark === null) await writeVerdictList(found, place, options);
    else await saveVerdictFeedback(selectVerdict(found, options), mark, place, options);
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

function parseVerdictRating(given: string): SessionVerdictFeedback['mark'] {
  if (given === 'right' || given === 'wrong') return given;
  const hint = formatNameSuggestion(given, ['right', 'wrong']);
  throw new UsageError(`A verdict is marked right or wrong, not ${JSON.stringify(given)}.${hint}`);
}

async function findSessionVerdicts(
  store: Store,
  { id, head }: SessionSummary,
): Promise<readonly SessionVerdict[]> {
  const found: SessionVerdict[] = [];
  const { walked } = await openSessionReplay(store, id, head);
  for await (const each of walked) found.push(...listVerdicts(each));
  if (found.length > 0) return found;
  throw new UsageError(`Nothing was judged in session ${sanitizeOneLine(id)}: there is no verdict in it.`);
}

/** Selects the verdict that the options name; of several, the last, which is the one that users see. */
function selectVerdict(
  found: readonly SessionVerdict[],
  { rule, event }: VerdictCommandOptions,
): SessionVerdict {
  const seq = event === undefined ? null : parseWholeNumberOption('--event', event, 1);
  const meant = found.findLast(
    (each) => (rule === undefined || each.rule === rule) && (seq === null || each.seq === seq),
  );
  if (meant !== undefined) return meant;
  const there = found
    .slice(-maxListedVerdicts)
    .map((each) => `${truncateColumns(each.rule, 40)} at event ${each.seq}`);
  throw new UsageError(`There is no such verdict in this session. There are: ${there.join(', ')}.`);
}

const maxListedVerdicts = 10;

async function saveVerdictFeedback(
  { seq, rule, reason, level }: SessionVerdict,
  mark: SessionVerdictFeedback['mark'],
  { marks, session, output }: VerdictContext,
  options: VerdictCommandOptions,
): Promise<void> {
  const note = options.note ?? null;
  await marks.keep({ at: Date.now(), session, seq, rule, mark, note });
  const told = { session, seq, rule, level, reason, mark, note };
  await output.write(
    options.json === true
      ? JSON.stringify(told)
      : `Marked as ${mark}: ${truncateColumns(rule, 40)} at event ${seq}, ${truncateColumns(reason, 200)}`,
  );
}

async function writeVerdictList(
  found: readonly SessionVerdict[],
  { marks: shelf, session, output, io }: VerdictContext,
  { rule, event, note, json }: VerdictCommandOptions,
): Promise<void> {
  if ((rule ?? event ?? note) !== undefined) {
    throw new UsageError('Say whether it was right or wrong, for example: pawl verdict last wrong');
  }
  const { marks: kept } = await shelf.read([session]);
  const marks = new Map(kept.map((each) => [getFeedbackKey(each), each]));
  for (const each of found) {
    const { seq, level, reason } = each;
    const marked = marks.get(getFeedbackKey({ session, seq, rule: each.rule }));
    const told = { mark: marked?.mark ?? null, note: marked?.note ?? null };
    const row = { session, seq, rule: each.rule, level, reason, ...told };
    await output.write(
      json === true ? JSON.stringify(row) : formatVerdictEntry(row, getOutputWidth(io.stdout)),
    );
  }
}

type VerdictListEntry = Omit<SessionVerdictFeedback, 'at' | 'mark'> & {
  readonly mark: SessionVerdictFeedback['mark'] | null;
  readonly level: string;
  readonly reason: string;
};

function formatVerdictEntry(
  { seq, rule, level, reason, mark, note }: VerdictListEntry,
  width: number,
): string {
  const said = note === null ? '' : ` (${note})`;
  const start = [
    formatCell(String(seq), 6, 'right'),
    formatCell(level, 7),
    formatCell(rule, 20),
    formatCell(mark ?? '-', 5),
  ].join('  ');
  return `${start}  ${truncateColumns(`${reason}${said}`, Math.max(20, width - start.length - 2))}`;
}
