import { isDeepStrictEqual, styleText } from 'node:util';
import { type Event, type Session, createEventNormalizer } from '@pawl/core';
import { replaySteps } from '@pawl/runtime/logs';
import { getMetadataText, type SessionSummary, type Store, type StoredEvent } from '@pawl/runtime/store';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { loadSessionRecord, type SessionRecord } from '../../sessions/session-record.ts';
import { findSession } from '../../sessions/find-session.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { surveySession, type SessionSurvey } from '../../sessions/session-replay.ts';
import { describeSessionEnding, formatStatus } from '../../sessions/session-ending.ts';
import { formatCell, truncateColumns, getOutputWidth } from '../../output/columns.ts';
import { formatCount } from '../../output/format-number.ts';

/** Compares two sessions: where their logs diverge, and how their outcomes differ. */
export function diffSessions(
  ids: readonly [string, string],
  options: SessionFlags,
  io: CommandIo,
): Promise<ExitCode> {
  return withSessionStore(options, async (store) => {
    const [a, b] = [
      await loadComparedSession(store, ids[0], options.dir),
      await loadComparedSession(store, ids[1], options.dir),
    ];
    const divergence = await findLogDivergence(a.record.events(), b.record.events());
    const rows = compareOutcomes(a, b);
    const text =
      options.json === true
        ? JSON.stringify(toDiffJson(a, b, divergence, rows))
        : formatDiff(a, b, { divergence, rows, io });
    io.stdout.write(`${text}\n`);
    return exitCodes.finished;
  });
}

type ComparedSession = {
  readonly summary: SessionSummary;
  readonly record: SessionRecord;
  readonly survey: SessionSurvey;
};

async function loadComparedSession(store: Store, id: string, dir: string): Promise<ComparedSession> {
  const summary = await findSession(store, id, dir);
  const record = await loadSessionRecord(store, summary.id);
  const { created, events } = record;
  return {
    summary,
    record,
    survey: await surveySession({ created, walked: replaySteps(created, events()) }),
  };
}

type ComparedValue = string | number | null;
type OutcomeComparison = {
  readonly what: string;
  readonly a: ComparedValue;
  readonly b: ComparedValue;
  readonly same: boolean;
};

/** Compares everything from how the sessions started to how they ended. */
function compareOutcomes(a: ComparedSession, b: ComparedSession): readonly OutcomeComparison[] {
  const row = (what: string, value: (side: ComparedSession) => ComparedValue): OutcomeComparison => {
    const [one, other] = [value(a), value(b)];
    return { what, a: one, b: other, same: one === other };
  };
  const settings = listDifferingSettings(a.record.created, b.record.created);
  return [
    row('model', ({ summary }) => getMetadataText(summary.metadata, 'model')),
    row('profile', ({ summary }) => summary.profile),
    ...(settings.length === 0
      ? []
      : [{ what: 'settings', a: settings.join(', '), b: 'differ', same: false }]),
    row('status', ({ survey }) => formatStatus(survey.end.turn.status)),
    row('ended', ({ survey }) => describeSessionEnding(survey).how),
    row('events', ({ survey }) => survey.totals.events),
    row('steps', ({ survey }) => survey.totals.replies),
    row('tool calls', ({ survey }) => survey.totals.toolCalls),
    row('tokens read', ({ survey }) => survey.totals.inputTokens),
    row('tokens written', ({ survey }) => survey.totals.outputTokens),
    row('cost', ({ survey }) => survey.totals.cost),
    row('files changed', ({ survey }) => survey.totals.files.toSorted().join(', ')),
    row('answer', ({ survey }) => survey.answer),
  ];
}

function listDifferingSettings({ settings: a }: Session, { settings: b }: Session): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isDeepStrictEqual(Reflect.get(a, name), Reflect.get(b, name)));
}

function toDiffJson(
  a: ComparedSession,
  b: ComparedSession,
  { common, a: nextA, b: nextB }: LogDivergence,
  rows: readonly OutcomeComparison[],
): object {
  return {
    type: 'diff',
    a: a.summary.id,
    b: b.summary.id,
    common,
    next: { a: nextA?.event ?? null, b: nextB?.event ?? null },
    outcomes: rows,
  };
}

type DiffTextContext = {
  readonly divergence: LogDivergence;
  readonly rows: readonly OutcomeComparison[];
  readonly io: CommandIo;
};

function formatDiff(
  a: ComparedSession,
  b: ComparedSession,
  { divergence, rows, io }: DiffTextContext,
): string {
  const width = getOutputWidth(io.stdout);
  const half = Math.max(20, Math.floor((width - 16 - 4) / 2));
  const line = (what: string, one: string, other: string): string =>
    `${formatCell(what, 16)}  ${formatCell(one, half)}  ${truncateColumns(other, half)}`.trimEnd();
  const { common, a: nextA, b: nextB } = divergence;
  return [
    styleText('bold', line('', sanitizeOneLine(a.summary.id), sanitizeOneLine(b.summary.id)), {
      stream: io.stdout,
    }),
    line('goal', a.survey.totals.goal ?? '', b.survey.totals.goal ?? ''),
    '',
    formatCommonEvents(divergence),
    ...(nextA === null && nextB === null
      ? []
      : [line(`event ${common + 1}`, formatDiffEvent(nextA?.event), formatDiffEvent(nextB?.event))]),
    '',
    ...rows.map(({ what, a: one, b: other, same }) => {
      const text = line(`${same ? ' ' : '≠'} ${what}`, String(one ?? ''), String(other ?? ''));
      return same ? text : styleText('yellow', text, { stream: io.stdout });
    }),
  ].join('\n');
}

function formatCommonEvents({ common, a, b }: LogDivergence): string {
  if (a === null && b === null)
    return `The sessions are identical except for times: ${formatCount(common, 'event')}.`;
  if (common === 0) return 'The sessions have no events in common:';
  const ended =
    a === null
      ? 'the first session ends there'
      : b === null
        ? 'the second session ends there'
        : 'then the sessions diverge';
  const same = common === 1 ? 'event is' : `${common.toLocaleString('en')} events are`;
  return `The first ${same} identical except for times; ${ended}:`;
}

function formatDiffEvent(event: Event | undefined): string {
  if (event === undefined) return '(end of log)';
  const { type, at: _, ...rest } = event;
  return `${type} ${JSON.stringify(rest)}`;
}

/** Where two logs diverge: the number of common events, and the next event of each log, if any. */
type LogDivergence = {
  readonly common: number;
  readonly a: StoredEvent | null;
  readonly b: StoredEvent | null;
};

/** Compares two logs event by event, up to the first events that differ. */
async function findLogDivergence(
  a: AsyncIterable<StoredEvent>,
  b: AsyncIterable<StoredEvent>,
): Promise<LogDivergence> {
  const left = a[Symbol.asyncIterator]();
  const right = b[Symbol.asyncIterator]();
  const [normalizeLeft, normalizeRight] = [createEventNormalizer(), createEventNormalizer()];
  let common = 0;
  try {
    for (;;) {
      const [leftNext, rightNext] = [await left.next(), await right.next()];
      const leftEvent = leftNext.done === true ? null : leftNext.value;
      const rightEvent = rightNext.done === true ? null : rightNext.value;
      const divergence = { common, a: leftEvent, b: rightEvent };
      if (leftEvent === null || rightEvent === null) return divergence;
      if (!isDeepStrictEqual(normalizeLeft(leftEvent.event), normalizeRight(rightEvent.event)))
        return divergence;
      common += 1;
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
}
