// An agent asks for permission, and another process grants it through the shared store.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getConversation, createSession } from '@pawl/core';
import { Agent, findTurnAnswer, type Tool } from '@pawl/runtime';
import { createCommandInbox } from '@pawl/runtime/commands';
import { createScriptedModel } from '@pawl/runtime/models';
import { createStoreEventLog, openSqliteStore, getProcessOwner } from '@pawl/runtime/store';

const folder = await mkdtemp(join(tmpdir(), 'pawl-example-'));
const store = openSqliteStore(join(folder, 'sessions.db'));
const deploy: Tool = {
  description: { name: 'deploy', description: 'Deploys a version.', parameters: { type: 'object' } },
  run: async () => ({ ok: true, output: 'Version 2 is live.' }),
};

const session = createSession({ id: 'release', at: Date.now() });
const commandInbox = createCommandInbox(store.commands, 'release');
const agent = new Agent({
  session,
  log: createStoreEventLog(store, 'release', await store.create(session, getProcessOwner())),
  model: createScriptedModel([
    { calls: [{ id: 'c1', tool: 'deploy', args: { version: 2 } }] },
    { text: 'Version 2 is out.' },
  ]),
  tools: [deploy],
  rules: () => 'ask',
  // There is no user at this terminal, so this never resolves. The decision arrives as a command.
  decide: () => new Promise(() => undefined),
  observe: (seen) => commandInbox.observe(seen),
});
const getTurnStatus = (): string => agent.session.turn.status;
await agent.sendMessage('Release version 2.');
while (getTurnStatus() !== 'awaitingPermission') await sleep(5);
console.log('waits for permission');

// Acts as another process with its own connection to the same file. The CLI equivalent is `pawl tell last allow`.
const otherStore = openSqliteStore(join(folder, 'sessions.db'));
await otherStore.commands.send('release', { kind: 'decide', callId: 'c1', decision: 'allow' });
await otherStore.close();

// The process that runs the session polls for commands.
while (getTurnStatus() !== 'waitingForUser') {
  await commandInbox.executePending(agent);
  await sleep(5);
}
console.log(`told from elsewhere: ${findTurnAnswer(getConversation(agent.session))}`);
await store.close();
await rm(folder, { recursive: true });
