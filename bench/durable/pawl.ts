import { conversationOf, createSession, type Event, type GovernorSettings, type Session } from '@pawl/core';
import { Agent, eventLogOn, openSqliteStore, type EventLog } from '@pawl/runtime';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timed, type DurableContender, type Work } from './contender.ts';
import { modelFor, toolThat } from './pawl-parts.ts';
import { goal, messagesAfter } from './work.ts';

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

/** The events of the same work, commit by commit, without a store. */
export async function commitsOf(steps: number): Promise<readonly (readonly Event[])[]> {
  const commits: (readonly Event[])[] = [];
  const session = createSession({ id, at: Date.now() });
  await goThrough({ steps, tick: () => undefined }, session, {
    append: (events) => void commits.push(events),
  });
  return commits;
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
