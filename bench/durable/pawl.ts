import { getConversation, createSession, type Event, type GovernorSettings, type Session } from '@pawl/core';
import { Agent, type EventLog } from '@pawl/runtime';
import { createStoreEventLog, openSqliteStore } from '@pawl/runtime/store';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { measureElapsed, type DurableContender, type DurableWork } from './contender.ts';
import { createInstantModel, createTickingTool } from './instant-model.ts';
import { benchGoal, countBenchMessages } from './bench-session.ts';

export const durablePawlContender: DurableContender = createDurablePawl('Pawl', {
  preset: 'pawl',
  rules: {},
});
/** Without the governor, which no peer has. */
export const durablePawlUngoverned: DurableContender = createDurablePawl('Pawl, no governor', {
  preset: 'none',
  rules: {},
});

const benchSessionId = 'bench';
const fileName = 'sessions.db';

function createDurablePawl(name: string, governor: GovernorSettings): DurableContender {
  return {
    name,
    version: null,
    async run(work) {
      const store = openSqliteStore(join(work.folder, fileName));
      const session = createSession({
        id: benchSessionId,
        at: Date.now(),
        settings: { compact: true, governor },
      });
      const log = createStoreEventLog(store, benchSessionId, await store.create(session, 'bench'));
      const elapsed = await measureElapsed(() => runBenchSession(work, session, log));
      let textBytes = 0;
      for await (const { event } of store.events(benchSessionId))
        textBytes += Buffer.byteLength(JSON.stringify(event));
      await store.close();
      // The store verifies this setting on every connection.
      return { ...elapsed, synchronous: 'FULL', textBytes };
    },
    async open(folder) {
      const start = performance.now();
      const store = openSqliteStore(join(folder, fileName));
      const { session, replayed } = await store.open(benchSessionId);
      const ms = performance.now() - start;
      await store.close();
      return { ms, messages: getConversation(session).length, replayed };
    },
    forgetSnapshot(folder) {
      const database = new DatabaseSync(join(folder, fileName));
      database.exec('DELETE FROM snapshots');
      database.close();
    },
  };
}

/** Records the events of the same session per commit, without a store. */
export async function recordCommits(steps: number): Promise<readonly (readonly Event[])[]> {
  const commits: (readonly Event[])[] = [];
  const session = createSession({ id: benchSessionId, at: Date.now() });
  await runBenchSession({ steps, tick: () => undefined }, session, {
    append: (events) => void commits.push(events),
  });
  return commits;
}

async function runBenchSession(
  { steps, tick }: Pick<DurableWork, 'steps' | 'tick'>,
  session: Session,
  log: EventLog,
): Promise<void> {
  const agent = new Agent({
    session,
    log,
    model: createInstantModel(steps),
    tools: [createTickingTool(tick)],
  });
  void agent.sendMessage(benchGoal);
  const after = getConversation(await agent.waitUntilIdle()).length;
  if (after !== countBenchMessages(steps))
    throw new Error(`Expected ${countBenchMessages(steps)} messages, found ${after}`);
}
