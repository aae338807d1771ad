import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { getOwnerState, getMetadataText, type SessionSummary, type Store } from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { isTerminalStream } from '../../output/terminal-prompt.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { LineOutput } from '../../output/line-output.ts';
import { listAllSessions, computeShortIds, selectSessions } from '../../sessions/find-session.ts';
import { parseWholeNumberOption } from '../../options/parse-options.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { isSessionRunning, formatStatus } from '../../sessions/session-ending.ts';
import { formatDateTime } from '../../output/format-time.ts';
import { formatCell, truncateColumns, getOutputWidth } from '../../output/columns.ts';
import { formatCount } from '../../output/format-number.ts';

export type ListSessionsOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  readonly limit: string;
  /** Refresh the list until the signal is aborted. */
  readonly watch?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

const refreshMs = 1_000;
/** Moves the cursor home and clears the screen. */
const clearScreenCode = '\u001b[H\u001b[J';

/** Lists sessions, most recently active first: those of this folder, or all. */
export function listSessions(options: ListSessionsOptions, io: CommandIo): Promise<ExitCode> {
  const limit = parseWholeNumberOption('--limit', options.limit, 1);
  const { signal = new AbortController().signal } = options;
  if (options.watch === true && !isTerminalStream(io.stdout)) {
    throw new UsageError('--watch requires a terminal. Omit it, or use pawl watch --json.');
  }
  return withSessionStore(options, async (store) => {
    if (options.watch !== true) return writeSessionList(store, { limit, options, io });
    while (!signal.aborted) {
      io.stdout.write(clearScreenCode);
      await writeSessionList(store, { limit, options, io });
      await sleep(refreshMs, undefined, { signal }).catch(() => undefined);
    }
    return exitCodes.finished;
  });
}

type SessionListContext = {
  readonly limit: number;
  readonly options: ListSessionsOptions;
  readonly io: CommandIo;
};

async function writeSessionList(store: Store, { limit, options, io }: SessionListContext): Promise<ExitCode> {
  const all = await listAllSessions(store);
  const short = computeShortIds(all.map(({ id }) => id));
  const selected = selectSessions(all, options);
  const rows = selected
    .slice(0, limit)
    .map((session) => toSessionListEntry(session, short.get(session.id) ?? session.id));
  const output = new LineOutput(io.stdout);
  if (options.json === true) {
    for (const { metadata, ...row } of rows) await output.write(JSON.stringify({ ...row, about: metadata }));
    return exitCodes.finished;
  }
  if (rows.length > 0) await writeSessionTable(rows, io, output);
  for (const remark of formatSessionRemarks({ all, selected, rows }, options))
    io.stderr.write(`${sanitizeOneLine(remark)}\n`);
  return exitCodes.finished;
}

/** A row of the session list. */
type SessionListEntry = Omit<SessionSummary, 'owner'> & {
  readonly short: string;
  readonly running: boolean;
  readonly dir: string | null;
  readonly model: string | null;
};

function toSessionListEntry({ owner, ...session }: SessionSummary, short: string): SessionListEntry {
  return {
    ...session,
    short,
    running: isSessionRunning(session, getOwnerState(owner)),
    dir: getMetadataText(session.metadata, 'dir'),
    model: getMetadataText(session.metadata, 'model'),
  };
}

async function writeSessionTable(
  rows: readonly SessionListEntry[],
  io: CommandIo,
  output: LineOutput,
): Promise<void> {
  const { stdout } = io;
  const columns = layoutSessionColumns(rows, getOutputWidth(stdout));
  await output.write(
    styleText(
      'bold',
      formatSessionColumns(columns, (column) => column.name),
      { stream: stdout },
    ),
  );
  for (const row of rows) {
    const text = formatSessionColumns(columns, (column) => column.text(row));
    await output.write(row.status === 'damaged' ? styleText('red', text, { stream: stdout }) : text);
  }
}

type SessionColumn = {
  readonly name: string;
  readonly width: number;
  readonly text: (row: SessionListEntry) => string;
};

/** Fits each column to its content within bounds; the goal takes the remaining width. */
function layoutSessionColumns(rows: readonly SessionListEntry[], width: number): readonly SessionColumn[] {
  const column = (name: string, text: SessionColumn['text'], max: number): SessionColumn => {
    const widest = rows.reduce((most, row) => Math.max(most, sanitizeOneLine(text(row)).length), name.length);
    return { name, text, width: Math.min(max, widest) };
  };
  const first = [
    column('id', ({ short }) => short, 40),
    column('when', ({ updatedAt }) => formatDateTime(updatedAt), 19),
    column('status', ({ status, running }) => formatStatus(status) + (running ? ', running' : ''), 36),
    column('profile', ({ profile }) => profile, 12),
    column('model', ({ model }) => model ?? '', 28),
    column('steps', ({ steps }) => String(steps), 6),
  ];
  const left = width - first.reduce((sum, each) => sum + each.width + 2, 0);
  return [...first, { name: 'goal', text: ({ goal }) => goal ?? '', width: Math.max(20, left) }];
}

function formatSessionColumns(
  columns: readonly SessionColumn[],
  text: (column: SessionColumn) => string,
): string {
  const cells = columns.map((column, index) =>
    index === columns.length - 1
      ? truncateColumns(text(column), column.width)
      : formatCell(text(column), column.width, column.name === 'steps' ? 'right' : 'left'),
  );
  return cells.join('  ').trimEnd();
}

type SessionSelection = {
  readonly all: readonly SessionSummary[];
  readonly selected: readonly SessionSummary[];
  readonly rows: readonly SessionListEntry[];
};

/** Formats remarks below the table: that it is empty, that there are more sessions, and how to handle damaged ones. */
function formatSessionRemarks(
  { all, selected, rows }: SessionSelection,
  { all: isAll }: ListSessionsOptions,
): readonly string[] {
  const elsewhere = all.length - selected.length;
  const damaged = rows.filter(({ status }) => status === 'damaged');
  return [
    ...(selected.length === 0
      ? [isAll === true ? 'There are no sessions yet.' : 'There are no sessions in this folder yet.']
      : []),
    ...(selected.length > rows.length
      ? [`${selected.length - rows.length} more; use --limit to show them.`]
      : []),
    ...(elsewhere > 0
      ? [`${formatCount(elsewhere, 'session')} in other folders; use --all to show them.`]
      : []),
    ...damaged.map(
      ({ short }) =>
        `${short} is damaged. Restore the store from a backup, or remove the session: pawl rm ${short}`,
    ),
  ];
}
