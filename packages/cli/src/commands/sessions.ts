import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { ownerState, textAbout, type SessionSummary, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { isTerminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { LineOutput } from './line-output.ts';
import { allSessions, shortIds, sessionsMeant } from './session-named.ts';
import { wholeNumber } from './option-number.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { isRunning, statusText } from './show-ending.ts';
import { dateTime } from './show-time.ts';
import { cell, fit, widthOf } from './columns.ts';
import { counted } from './number-text.ts';

export type SessionsOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  readonly limit: string;
  /** Keep the list up to date until the signal is aborted. */
  readonly watch?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

const refreshMs = 1_000;
/** The cursor to the first place, and everything after it gone. */
const clearScreen = '\u001b[H\u001b[J';

/** Lists sessions, those last worked on first: of this folder, or all. */
export function listSessions(options: SessionsOptions, io: Io): Promise<ExitCode> {
  const limit = wholeNumber('--limit', options.limit, 1);
  const { signal = new AbortController().signal } = options;
  if (options.watch === true && !isTerminal(io.stdout)) {
    throw new UsageError(
      '--watch needs a terminal to keep up to date. Leave it out, or try pawl watch --json.',
    );
  }
  return withStore(options, async (store) => {
    if (options.watch !== true) return writeList(store, { limit, options, io });
    while (!signal.aborted) {
      io.stdout.write(clearScreen);
      await writeList(store, { limit, options, io });
      await sleep(refreshMs, undefined, { signal }).catch(() => undefined);
    }
    return exitCodes.finished;
  });
}

type Listing = { readonly limit: number; readonly options: SessionsOptions; readonly io: Io };

async function writeList(store: Store, { limit, options, io }: Listing): Promise<ExitCode> {
  const all = await allSessions(store);
  const short = shortIds(all.map(({ id }) => id));
  const meant = sessionsMeant(all, options);
  const rows = meant.slice(0, limit).map((session) => rowOf(session, short.get(session.id) ?? session.id));
  const output = new LineOutput(io.stdout);
  if (options.json === true) {
    for (const row of rows) await output.write(JSON.stringify(row));
    return exitCodes.finished;
  }
  if (rows.length > 0) await writeTable(rows, io, output);
  for (const remark of remarks({ all, meant, rows }, options)) io.stderr.write(`${visibleLine(remark)}\n`);
  return exitCodes.finished;
}

/** A session as the list tells of it; with --json, one of these a line. */
type SessionRow = Omit<SessionSummary, 'owner'> & {
  readonly short: string;
  readonly running: boolean;
  readonly dir: string | null;
  readonly model: string | null;
};

function rowOf({ owner, ...session }: SessionSummary, short: string): SessionRow {
  return {
    ...session,
    short,
    running: isRunning(session, ownerState(owner)),
    dir: textAbout(session.about, 'dir'),
    model: textAbout(session.about, 'model'),
  };
}

async function writeTable(rows: readonly SessionRow[], io: Io, output: LineOutput): Promise<void> {
  const { stdout } = io;
  const columns = columnsFor(rows, widthOf(stdout));
  await output.write(
    styleText(
      'bold',
      line(columns, (column) => column.name),
      { stream: stdout },
    ),
  );
  for (const row of rows) {
    const text = line(columns, (column) => column.text(row));
    await output.write(row.status === 'damaged' ? styleText('red', text, { stream: stdout }) : text);
  }
}

type Column = {
  readonly name: string;
  readonly width: number;
  readonly text: (row: SessionRow) => string;
};

/** Each column is as wide as what stands in it, within bounds; the goal gets what is left. */
function columnsFor(rows: readonly SessionRow[], width: number): readonly Column[] {
  const column = (name: string, text: Column['text'], max: number): Column => {
    const widest = rows.reduce((most, row) => Math.max(most, visibleLine(text(row)).length), name.length);
    return { name, text, width: Math.min(max, widest) };
  };
  const first = [
    column('id', ({ short }) => short, 40),
    column('when', ({ updatedAt }) => dateTime(updatedAt), 19),
    column('status', ({ status, running }) => statusText(status) + (running ? ', running now' : ''), 36),
    column('profile', ({ profile }) => profile, 12),
    column('model', ({ model }) => model ?? '', 28),
    column('steps', ({ steps }) => String(steps), 6),
  ];
  const left = width - first.reduce((sum, each) => sum + each.width + 2, 0);
  return [...first, { name: 'goal', text: ({ goal }) => goal ?? '', width: Math.max(20, left) }];
}

function line(columns: readonly Column[], text: (column: Column) => string): string {
  const cells = columns.map((column, index) =>
    index === columns.length - 1
      ? fit(text(column), column.width)
      : cell(text(column), column.width, column.name === 'steps' ? 'right' : 'left'),
  );
  return cells.join('  ').trimEnd();
}

type Found = {
  readonly all: readonly SessionSummary[];
  readonly meant: readonly SessionSummary[];
  readonly rows: readonly SessionRow[];
};

/** What the table leaves open: that there is nothing in it, that there is more, and what to do about damage. */
function remarks({ all, meant, rows }: Found, { all: isAll }: SessionsOptions): readonly string[] {
  const elsewhere = all.length - meant.length;
  const damaged = rows.filter(({ status }) => status === 'damaged');
  return [
    ...(meant.length === 0
      ? [isAll === true ? 'There are no sessions yet.' : 'No session has worked in this folder yet.']
      : []),
    ...(meant.length > rows.length ? [`${meant.length - rows.length} more: --limit shows them.`] : []),
    ...(elsewhere > 0 ? [`${counted(elsewhere, 'session')} of other folders: --all shows them.`] : []),
    ...damaged.map(
      ({ short }) =>
        `${short} is damaged and kept apart: put the store back from a copy, or pawl rm ${short} removes it.`,
    ),
  ];
}
