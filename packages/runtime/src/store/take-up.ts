import { step, type Event, type Session } from '@pawl/core';
import type { EventLog } from '../event-log.ts';
import { eventLogOn } from './event-log-on.ts';
import type { Store } from './store.ts';

/**
 * Claims a session and gives what an agent needs to go on with it. Calls that had started and not ended are told to the
 * model as interrupted: nobody knows how far they came, so none is run a second time without a word.
 */
export async function takeUp(
  store: Store,
  id: string,
  { owner, at }: { readonly owner: string; readonly at: number },
): Promise<{ readonly session: Session; readonly log: EventLog }> {
  const { fence } = await store.claim(id, owner);
  // Nobody under an earlier claim can have moved it since, and whoever has claimed it after this has another fence.
  const { session, head } = await store.open(id);
  const log = eventLogOn(store, id, { fence, head });
  let settled = session;
  for (const event of interruptions(session, at)) {
    settled = step(settled, event).session;
    await log.append(event, settled);
  }
  return { session: settled, log };
}

function interruptions({ turn }: Session, at: number): readonly Event[] {
  const held = turn.status === 'paused' ? turn.held : turn;
  if (held.status !== 'executingTools') return [];
  const { request, executions } = held;
  const running = executions.filter(({ status }) => status === 'running');
  return running.map(({ call }) => ({ type: 'tool-finished', at, request, callId: call.id, outcome }));
}

const outcome = {
  ok: false,
  error: {
    kind: 'interrupted',
    message:
      'Pawl ended while this was running: it may have run fully, partly or not at all. Look before you repeat it.',
  },
} as const;
