import { unpaused, type Event, type Session } from '@pawl/core';
import type { Seen } from '@pawl/runtime';
import { workIn, type Work, type WorkKind } from './work.ts';

/** How a piece of work ended. What was called off did not fail. */
export type End =
  | { readonly kind: 'done' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'failed'; readonly error: string };

export type Ended = { readonly work: Work; readonly end: End };

/** The work that was under way before an event and is not after it. */
export function endedBy(before: Session, seen: Seen): readonly Ended[] {
  if (before.turn === seen.session.turn) return [];
  const left = new Set(workIn(seen.session).map(({ key }) => key));
  return workIn(before).flatMap((work) =>
    left.has(work.key) ? [] : [{ work, end: endOf[work.kind](seen, work) }],
  );
}

const done: End = { kind: 'done' };
const calledOff: End = { kind: 'called-off' };
const failed = (error: string): End => ({ kind: 'failed', error });

type Telling = (seen: Seen, work: Work) => End;

/** Done by the one event, failed by the other, called off by any other. */
const by =
  (good: Event['type'], bad?: Event['type']): Telling =>
  ({ event: { type } }) =>
    type === good ? done : type === bad ? failed('io') : calledOff;

const endOf: Readonly<Record<WorkKind, Telling>> = {
  model: modelEnd,
  tool: ({ event }, work) => {
    if (event.type !== 'tool-finished' || !isOf(work, event.callId)) return calledOff;
    return event.outcome.ok ? done : failed(event.outcome.error.kind);
  },
  permission: ({ event }, work) =>
    event.type === 'permission-decided' && isOf(work, event.callId) ? done : calledOff,
  hooks: by('hooks-finished', 'hooks-failed'),
  paging: by('paging-finished', 'paging-failed'),
  retry: by('retry-due'),
  recovery: by('recovery-finished'),
  pause: by('resume-requested'),
};

function isOf(work: Work, callId: string): boolean {
  return 'call' in work && work.call.id === callId;
}

/** A reply may be taken for a failure, as a chant is. */
function modelEnd({ event, session: { turn } }: Seen): End {
  if (event.type === 'model-failed') return failed(event.error.kind);
  if (event.type !== 'model-replied') return calledOff;
  const held = unpaused(turn);
  return held.status === 'errorRecovery' && held.origin === 'model' ? failed(held.error.kind) : done;
}
