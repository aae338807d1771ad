import { conversationOf, items } from '@pawl/core';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent.ts';
import { createHearing } from '../../src/commands/hearing.ts';
import { createScripted } from '../../src/models/scripted.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { takeUp } from '../../src/store/take-up.ts';
import { quickFolder } from '../store/sqlite-io-faults-tracing.ts';
import { eventsOf, session } from '../store/tale.ts';

const sender = fileURLToPath(new URL('fixtures/sender.ts', import.meta.url));

/** The ids it has printed by its end: of whole lines only, since it may be killed within one. */
function sending(path: string, name: string, count: number): { ids: Promise<string[]>; kill: () => void } {
  const child = spawn(process.execPath, [sender, path, name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ids = text(child.stdout).then((printed) => printed.split('\n').slice(0, -1));
  return { ids, kill: () => child.kill('SIGKILL') };
}

function numbered(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}

describe('processes that ask something of a session in another', () => {
  it('are each heard once, in their order, though one of them is killed', async () => {
    using folder = quickFolder();
    const path = folder.at('sessions.db');
    const store = openSqliteStore(path);
    await store.create(session(), 'me');
    const hearing = createHearing(store.commands, 'a');
    const agent = new Agent({
      ...(await takeUp(store, 'a', { owner: 'me' })),
      model: createScripted(Array.from({ length: 1_000 }, () => ({ text: 'Yes.' }))),
      tools: [],
      observe: (seen) => hearing.see(seen),
    });
    const senders = ['one', 'two'].map((name) => sending(path, name, 40));
    const killed = sending(path, 'killed', 100_000);
    const over = new AbortController();
    const said = Promise.all(senders.map(({ ids }) => ids)).then((ids) => {
      killed.kill();
      return ids;
    });
    const printed = killed.ids.finally(() => over.abort());
    while (!over.signal.aborted || (await store.commands.waiting('a')).length > 0) {
      await hearing.carryOut(agent);
      await sleep(5);
    }
    await agent.idle();
    expect((await said).map(({ length }) => length)).toEqual([40, 40]);
    const heard = (await eventsOf(store, 'a')).flatMap((event) =>
      event.type === 'steered' ? [event.text] : [],
    );
    const of = (name: string): readonly string[] => heard.filter((each) => each.startsWith(`${name} `));
    expect(of('one')).toEqual(numbered('one', 40));
    expect(of('two')).toEqual(numbered('two', 40));
    // The very last may have been kept and not have been told any more.
    const kept = of('killed').length - (await printed).length;
    expect([0, 1]).toContain(kept);
    expect(of('killed')).toEqual(numbered('killed', of('killed').length));
    const users = [...items(conversationOf(agent.session))].filter(({ role }) => role === 'user');
    expect(users).toHaveLength(heard.length);
    await store.close();
  });
});
