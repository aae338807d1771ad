import { isDeepStrictEqual, styleText } from 'node:util';
import type { Event, Session } from '@pawl/core';
import { textAbout, type SessionSummary, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { partingOf, type Parting } from './diff-events.ts';
import { recordOf, type SessionRecord } from './export-record.ts';
import { sessionNamed } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { accountOf, type Account } from './show-account.ts';
import { endingOf, statusText } from './show-ending.ts';
import { walkEvents } from './show-walk.ts';
import { cell, fit, widthOf } from './columns.ts';
import { counted } from './number-text.ts';

/** Shows where two sessions part, and how differently they ended. */
export function diffSessions(
  words: readonly [string, string],
  options: SessionFlags,
  io: Io,
): Promise<ExitCode> {
  return withStore(options, async (store) => {
    const [a, b] = [await sideOf(store, words[0], options.dir), await sideOf(store, words[1], options.dir)];
    const parting = await partingOf(a.record.events(), b.record.events());
    const rows = rowsOf(a, b);
    const text =
      options.json === true ? JSON.stringify(told(a, b, parting, rows)) : textOf(a, b, { parting, rows, io });
    io.stdout.write(`${text}\n`);
    return exitCodes.finished;
  });
}

type Side = {
  readonly summary: SessionSummary;
  readonly record: SessionRecord;
  readonly account: Account;
};

async function sideOf(store: Store, word: string, dir: string): Promise<Side> {
  const summary = await sessionNamed(store, word, dir);
  const record = await recordOf(store, summary.id);
  const { created, events } = record;
  return { summary, record, account: await accountOf({ created, walked: walkEvents(created, events()) }) };
}

type Value = string | number | null;
type Row = { readonly what: string; readonly a: Value; readonly b: Value; readonly same: boolean };

/** What can be compared, from how they began to what came of them. */
function rowsOf(a: Side, b: Side): readonly Row[] {
  const row = (what: string, value: (side: Side) => Value): Row => {
    const [one, other] = [value(a), value(b)];
    return { what, a: one, b: other, same: one === other };
  };
  const settings = settingsThatDiffer(a.record.created, b.record.created);
  return [
    row('model', ({ summary }) => textAbout(summary.about, 'model')),
    row('profile', ({ summary }) => summary.profile),
    ...(settings.length === 0
      ? []
      : [{ what: 'settings', a: settings.join(', '), b: 'differ', same: false }]),
    row('status', ({ account }) => statusText(account.end.turn.status)),
    row('ended', ({ account }) => endingOf(account).how),
    row('events', ({ account }) => account.events),
    row('steps', ({ account }) => account.steps),
    row('tool calls', ({ account }) => account.toolCalls),
    row('tokens read', ({ account }) => account.inputTokens),
    row('tokens written', ({ account }) => account.outputTokens),
    row('cost', ({ account }) => account.cost),
    row('files changed', ({ account }) => account.files.join(', ')),
    row('answer', ({ account }) => account.answer),
  ];
}

function settingsThatDiffer({ settings: a }: Session, { settings: b }: Session): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isDeepStrictEqual(Reflect.get(a, name), Reflect.get(b, name)));
}

function told(a: Side, b: Side, { common, a: nextA, b: nextB }: Parting, rows: readonly Row[]): object {
  return {
    type: 'diff',
    a: a.summary.id,
    b: b.summary.id,
    common,
    next: { a: nextA?.event ?? null, b: nextB?.event ?? null },
    outcomes: rows,
  };
}

type Shown = { readonly parting: Parting; readonly rows: readonly Row[]; readonly io: Io };

function textOf(a: Side, b: Side, { parting, rows, io }: Shown): string {
  const width = widthOf(io.stdout);
  const half = Math.max(20, Math.floor((width - 16 - 4) / 2));
  const line = (what: string, one: string, other: string): string =>
    `${cell(what, 16)}  ${cell(one, half)}  ${fit(other, half)}`.trimEnd();
  const { common, a: nextA, b: nextB } = parting;
  return [
    styleText('bold', line('', visibleLine(a.summary.id), visibleLine(b.summary.id)), { stream: io.stdout }),
    line('goal', a.account.goal ?? '', b.account.goal ?? ''),
    '',
    commonText(parting),
    ...(nextA === null && nextB === null
      ? []
      : [line(`event ${common + 1}`, eventText(nextA?.event), eventText(nextB?.event))]),
    '',
    ...rows.map(({ what, a: one, b: other, same }) => {
      const text = line(`${same ? ' ' : '≠'} ${what}`, String(one ?? ''), String(other ?? ''));
      return same ? text : styleText('yellow', text, { stream: io.stdout });
    }),
  ].join('\n');
}

function commonText({ common, a, b }: Parting): string {
  if (a === null && b === null) return `They are the same, times aside: ${counted(common, 'event')}.`;
  if (common === 0) return 'They have nothing in common:';
  const ended = a === null ? 'the first ends there' : b === null ? 'the second ends there' : 'then they part';
  const same = common === 1 ? 'event is' : `${common.toLocaleString('en')} events are`;
  return `The first ${same} the same, times aside; ${ended}:`;
}

function eventText(event: Event | undefined): string {
  if (event === undefined) return '(no more)';
  const { type, at: _, ...rest } = event;
  return `${type} ${JSON.stringify(rest)}`;
}
