import { conversationOf, createSession, type Event, type GovernorSettings, type Session } from '@pawl/core';
import { Agent, eventLogOn, openSqliteStore, type EventLog, type Model, type Tool } from '@pawl/runtime';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timed, type DurableContender, type Work } from './contender.ts';
import { answer, askedAt, goal, messagesAfter, read, type Page } from './work.ts';

export const pawl: DurableContender = durablePawl('Pawl', { preset: 'pawl', rules: {} });
/** Without the governor, which no peer has. */
export const pawlUngoverned: DurableContender = durablePawl('Pawl, no governor', {
  preset: 'none',
  rules: {},
});

const id = 'bench';
const fileName = 'sessions.db';

function durablePawl(name: string, governor: GovernorSettings): DurableContender {
  return {
    name,
    version: null,
    async run(work) {
      const store = openSqliteStore(join(work.folder, fileName));
      const session = createSession({ id, at: Date.now(), settings: { compact: true, governor } });
      const log = eventLogOn(store, id, await store.create(session, 'bench'));
      const taken = await timed(() => goThrough(work, session, log));
      let textBytes = 0;
      for await (const { event } of store.events(id)) textBytes += Buffer.byteLength(JSON.stringify(event));
      await store.close();
      // The store looks on every connection whether it is.
      return { ...taken, synchronous: 'FULL', textBytes };
    },
    async open(folder) {
      const start = performance.now();
      const store = openSqliteStore(join(folder, fileName));
      const { session, replayed } = await store.open(id);
      const ms = performance.now() - start;
      await store.close();
      return { ms, messages: conversationOf(session).length, replayed };
    },
    forgetSnapshot(folder) {
      const database = new DatabaseSync(join(folder, fileName));
      database.exec('DELETE FROM snapshots');
      database.close();
    },
  };
}

/** The events of the same work, without a store. */
export async function eventsOf(steps: number): Promise<readonly Event[]> {
  const events: Event[] = [];
  const session = createSession({ id, at: Date.now() });
  await goThrough({ steps, tick: () => undefined }, session, { append: (event) => void events.push(event) });
  return events;
}

async function goThrough(
  { steps, tick }: Pick<Work, 'steps' | 'tick'>,
  session: Session,
  log: EventLog,
): Promise<void> {
  const agent = new Agent({ session, log, model: modelFor(steps), tools: [toolThat(tick)] });
  void agent.say(goal);
  const after = conversationOf(await agent.idle()).length;
  if (after !== messagesAfter(steps))
    throw new Error(`Expected ${messagesAfter(steps)} messages, found ${after}`);
}

/** Answers at once. A scripted model of the runtime would keep every request it was sent. */
function modelFor(steps: number): Model {
  let step = 0;
  return {
    name: 'zero latency',
    async *stream() {
      if (step === steps) {
        yield { type: 'reply', text: answer, calls: [] };
        return;
      }
      const { text, callId, page } = askedAt(step);
      step += 1;
      yield { type: 'reply', text, calls: [{ id: callId, tool: 'read', args: page }] };
    },
  };
}

function toolThat(tick: () => void): Tool {
  return {
    description: { name: 'read', description: 'Reads a page of a file.', parameters: { type: 'object' } },
    effect: 'read-only',
    async run(args) {
      tick();
      return { ok: true, output: read(args as Page) };
    },
  };
}
