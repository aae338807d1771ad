import type { Verdict } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openStoreFor } from '../store-option.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { LineOutput } from './line-output.ts';
import { sessionNamed } from './session-named.ts';
import { wholeNumber } from './option-number.ts';
import type { SessionFlags } from './session-store.ts';
import { walkSession } from './show-walk.ts';
import { verdictsIn } from './show-why-step.ts';
import { keyOf, type MarkShelf, type VerdictMark } from './verdict-marks.ts';
import { cell, fit, widthOf } from './columns.ts';
import { didYouMean } from '../one-of.ts';

export type VerdictOptions = SessionFlags & {
  readonly rule?: string | undefined;
  readonly event?: string | undefined;
  readonly note?: string | undefined;
};

/** Marks a verdict of the governor as right or wrong; without a mark, lists the verdicts of a session. */
export async function verdict(
  word: string,
  given: string | undefined,
  options: VerdictOptions,
  io: Io,
): Promise<ExitCode> {
  const mark = given === undefined ? null : markOf(given);
  const opened = await openStoreFor(options);
  try {
    const { store, marks } = opened;
    if (marks === null) {
      throw new UsageError(
        'Nothing is kept with --store none, so there is nothing to mark. Name another store.',
      );
    }
    const summary = await sessionNamed(store, word, options.dir);
    const found = await verdictsOf(store, summary);
    const output = new LineOutput(io.stdout);
    const place = { marks, session: summary.id, output, io };
    if (mark === null) await list(found, place, options);
    else await keep(meantOf(found, options), mark, place, options);
    return exitCodes.finished;
  } finally {
    await opened.close();
  }
}

type Found = Verdict & { readonly seq: number };

type Place = {
  readonly marks: MarkShelf;
  readonly session: string;
  readonly output: LineOutput;
  readonly io: Io;
};

function markOf(given: string): VerdictMark['mark'] {
  if (given === 'right' || given === 'wrong') return given;
  const hint = didYouMean(given, ['right', 'wrong']);
  throw new UsageError(`A verdict is marked right or wrong, not ${JSON.stringify(given)}.${hint}`);
}

async function verdictsOf(store: Store, { id, head }: SessionSummary): Promise<readonly Found[]> {
  const found: Found[] = [];
  const { walked } = await walkSession(store, id, head);
  for await (const each of walked) found.push(...verdictsIn(each));
  if (found.length > 0) return found;
  throw new UsageError(`Nothing was judged in session ${visibleLine(id)}: there is no verdict in it.`);
}

/** The one that the options name; of several the last, which is the one that people see. */
function meantOf(found: readonly Found[], { rule, event }: VerdictOptions): Found {
  const seq = event === undefined ? null : wholeNumber('--event', event, 1);
  const meant = found.findLast(
    (each) => (rule === undefined || each.rule === rule) && (seq === null || each.seq === seq),
  );
  if (meant !== undefined) return meant;
  const there = found.slice(-listedMax).map((each) => `${fit(each.rule, 40)} at event ${each.seq}`);
  throw new UsageError(`There is no such verdict in this session. There are: ${there.join(', ')}.`);
}

const listedMax = 10;

async function keep(
  { seq, rule, reason, level }: Found,
  mark: VerdictMark['mark'],
  { marks, session, output }: Place,
  options: VerdictOptions,
): Promise<void> {
  const note = options.note ?? null;
  await marks.keep({ at: Date.now(), session, seq, rule, mark, note });
  const told = { session, seq, rule, level, reason, mark, note };
  await output.write(
    options.json === true
      ? JSON.stringify(told)
      : `Marked as ${mark}: ${fit(rule, 40)} at event ${seq}, ${fit(reason, 200)}`,
  );
}

async function list(
  found: readonly Found[],
  { marks: shelf, session, output, io }: Place,
  { rule, event, note, json }: VerdictOptions,
): Promise<void> {
  if ((rule ?? event ?? note) !== undefined) {
    throw new UsageError('Say whether it was right or wrong, for example: pawl verdict last wrong');
  }
  const { marks: kept } = await shelf.read([session]);
  const marks = new Map(kept.map((each) => [keyOf(each), each]));
  for (const each of found) {
    const { seq, level, reason } = each;
    const marked = marks.get(keyOf({ session, seq, rule: each.rule }));
    const told = { mark: marked?.mark ?? null, note: marked?.note ?? null };
    const row = { session, seq, rule: each.rule, level, reason, ...told };
    await output.write(json === true ? JSON.stringify(row) : rowText(row, widthOf(io.stdout)));
  }
}

type Row = Omit<VerdictMark, 'at' | 'mark'> & {
  readonly mark: VerdictMark['mark'] | null;
  readonly level: string;
  readonly reason: string;
};

function rowText({ seq, rule, level, reason, mark, note }: Row, width: number): string {
  const said = note === null ? '' : ` (${note})`;
  const start = [cell(String(seq), 6, 'right'), cell(level, 7), cell(rule, 20), cell(mark ?? '-', 5)].join(
    '  ',
  );
  return `${start}  ${fit(`${reason}${said}`, Math.max(20, width - start.length - 2))}`;
}
