import { createSession, step, type Event, type Session } from '@pawl/core';
import type { StoredEvent, LogPosition, Store } from '../../src/store/store.ts';

export const createSampleSession = (id = 'a', at = 1_000): Session =>
  createSession({ id, at, settings: { compact: true, governor: { preset: 'none', rules: {} } } });

/** The next event of a piece of work that never ends: a message, then calls that are made, started and finished. */
export function createNextEvent(before: Session): Event {
  const { turn, seq } = before;
  const at = 1_000 + seq;
  const callId = `c${Math.floor((seq - 1) / 3)}`;
  if (turn.status === 'waitingForUser') return { type: 'user-message', at, text: `Do it, ${before.id}` };
  if (turn.status === 'callingModel') {
    const args = { path: `file-${seq}.txt`, lines: [seq, null, true] };
    return { type: 'model-replied', at, text: `step ${seq}`, calls: [{ id: callId, tool: 'read', args }] };
  }
  const isStarted = turn.status === 'executingTools' && turn.executions[0]?.status === 'running';
  if (!isStarted) return { type: 'tool-started', at, callId };
  return { type: 'tool-finished', at, callId, outcome: { ok: true, output: `what is in it: ${seq}` } };
}

export type SampleLog = { readonly events: readonly Event[]; readonly end: Session };

export function createSampleLog(from: Session, count: number): SampleLog {
  const events: Event[] = [];
  let end = from;
  for (let index = 0; index < count; index += 1) {
    const event = createNextEvent(end);
    events.push(event);
    end = step(end, event).session;
  }
  return { events, end };
}

/** What an agent keeps next in one go, up to event number `max`: a reply and the start of its call go together. */
export function createNextBatch(from: Session, max: number): SampleLog {
  const isReply = createNextEvent(from).type === 'model-replied';
  return createSampleLog(from, Math.min(isReply ? 2 : 1, max - from.seq));
}

/** Continues a session with one append per event. */
export async function appendSampleEvents(
  store: Store,
  from: Session,
  at: LogPosition,
  count: number,
): Promise<{ readonly at: LogPosition; readonly end: Session }> {
  let position = at;
  let end = from;
  for (let index = 0; index < count; index += 1) {
    const event = createNextEvent(end);
    end = step(end, event).session;
    position = await store.append(from.id, position, [event], end);
  }
  return { at: position, end };
}

export async function listStoredEvents(store: Store, id: string, after?: number): Promise<readonly Event[]> {
  return (await collectStoredEvents(store, id, after)).map(({ event }) => event);
}

export async function collectStoredEvents(
  store: Store,
  id: string,
  after?: number,
): Promise<readonly StoredEvent[]> {
  const kept: StoredEvent[] = [];
  for await (const each of store.events(id, after)) kept.push(each);
  return kept;
}
