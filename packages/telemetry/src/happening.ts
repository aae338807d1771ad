import { isEphemeral, type Session, type Verdict } from '@pawl/core';
import type { Seen } from '@pawl/runtime';
import { endedBy, type Ended } from './ended.ts';
import { workIn, type WorkKind } from './work.ts';
import { nextTurn, turnEnd, turnIn, type EndedTurn, type OpenTurn } from './turns.ts';

/** What one event came to, for spans and metrics alike. */
export type Happening = {
  readonly seen: Seen;
  readonly before: Session;
  /** The turn that what has ended was part of. */
  readonly turn: OpenTurn | null;
  readonly ended: readonly Ended[];
  readonly endedTurn: EndedTurn | null;
  readonly verdicts: readonly Verdict[];
  /** When the first piece of the reply was there, if the model was what ended. */
  readonly firstChunkAt: number | null;
};

/** Follows one session from event to event; gives null for events that changed nothing. */
export function createFollower(session: Session, now: number): (seen: Seen) => Happening | null {
  const again = begunAnew(session);
  let before = session;
  let turn = turnIn(session);
  let firstChunkAt: number | null = null;
  return (seen) => {
    const { event, session: after } = seen;
    const last = before;
    before = after;
    if (isEphemeral(event)) {
      if (event.type !== 'tool-progressed') firstChunkAt ??= event.at;
      return null;
    }
    if (after === last) return null;
    const open = turn;
    turn = nextTurn(open, last, after);
    const ended = endedBy(last, seen).map(({ work, end }) =>
      again.has(work.key) ? { work: { ...work, since: Math.max(work.since, now) }, end } : { work, end },
    );
    const happening: Happening = {
      seen,
      before: last,
      turn: open,
      ended,
      endedTurn: open === null || open === turn ? null : { ...open, ...turnEnd(seen) },
      verdicts: verdictsIn(seen),
      firstChunkAt,
    };
    if (ended.some(({ work }) => work.kind === 'model')) firstChunkAt = null;
    return happening;
  };
}

/** Work that began elsewhere and begins again here. A person's decision and a running call do not: they simply go on. */
function begunAnew(session: Session): ReadonlySet<string> {
  const kinds: readonly WorkKind[] = ['model', 'hooks', 'paging'];
  return new Set(workIn(session).flatMap(({ kind, key }) => (kinds.includes(kind) ? [key] : [])));
}

function verdictsIn({ event, notes }: Seen): readonly Verdict[] {
  const noted = notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : []));
  return event.type === 'verdict-reached' ? [event.verdict, ...noted] : noted;
}
