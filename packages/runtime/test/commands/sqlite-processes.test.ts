import { getConversation, iterateItems } from '@pawl/core';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.ts';
import { createCommandInbox } from '../../src/agent/command-inbox.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { resumeSession } from '../../src/store/resume-session.ts';
import { createMemoryFolder } from '../store/sqlite-io-faults-tracing.ts';
import { listStoredEvents, createSampleSession } from '../store/sample-session.ts';

const senderScript = fileURLToPath(new URL('fixtures/sender.ts', import.meta.url));

/** The ids it has printed by its end: of whole lines only, since it may be killed within one. */
function startSender(
  path: string,
  name: string,
  count: number,
): { ids: Promise<string[]>; kill: () => void } {
  const child = spawn(process.execPath, [senderScript, path, name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ids = text(child.stdout).then((printed) => printed.split('\n').slice(0, -1));
  return { ids, kill: () => child.kill('SIGKILL') };
}

function listNumberedTexts(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}

describe('processes that send commands to a session of another process', () => {
  it('have each command executed once and in order, even if one of them is killed', async () => {
    using folder = createMemoryFolder();
    const path = folder.at('sessions.db');
    const store = openSqliteStore(path);
    await store.create(createSampleSession(), 'me');
    const inbox = createCommandInbox(store.commands, 'a');
    const agent = new Agent({
      ...(await resumeSession(store, 'a', { owner: 'me' })),
      model: createScriptedModel(Array.from({ length: 1_000 }, () => ({ text: 'Yes.' }))),
      tools: [],
      observe: (seen) => inbox.observe(seen),
    });
    const senders = ['one', 'two'].map((name) => startSender(path, name, 40));
    const killed = startSender(path, 'killed', 100_000);
    const over = new AbortController();
    const sentIds = Promise.all(senders.map(({ ids }) => ids)).then((ids) => {
      killed.kill();
      return ids;
    });
    const printed = killed.ids.finally(() => over.abort());
    while (!over.signal.aborted || (await store.commands.listPending('a')).length > 0) {
      await inbox.executePending(agent);
      await sleep(5);
    }
    await agent.waitUntilIdle();
    expect((await sentIds).map(({ length }) => length)).toEqual([40, 40]);
    const appliedIds = (await listStoredEvents(store, 'a')).flatMap((event) =>
      event.type === 'steered' ? [event.text] : [],
    );
    const of = (name: string): readonly string[] => appliedIds.filter((each) => each.startsWith(`${name} `));
    expect(of('one')).toEqual(listNumberedTexts('one', 40));
    expect(of('two')).toEqual(listNumberedTexts('two', 40));
    // The very last may have been kept and not have been told any more.
    const kept = of('killed').length - (await printed).length;
    expect([0, 1]).toContain(kept);
    expect(of('killed')).toEqual(listNumberedTexts('killed', of('killed').length));
    const users = [...iterateItems(getConversation(agent.session))].filter(({ role }) => role === 'user');
    expect(users).toHaveLength(appliedIds.length);
    await store.close();
  });
});
