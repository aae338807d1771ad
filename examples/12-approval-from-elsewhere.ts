// An agent asks for permission, and somebody else gives it: from another process, through the store they share.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversationOf, createSession } from '@pawl/core';
import {
  Agent,
  answerOf,
  createHearing,
  createScripted,
  eventLogOn,
  openSqliteStore,
  thisProcess,
  type Tool,
} from '@pawl/runtime';

const folder = await mkdtemp(join(tmpdir(), 'pawl-example-'));
const store = openSqliteStore(join(folder, 'sessions.db'));
const deploy: Tool = {
  description: { name: 'deploy', description: 'Deploys a version.', parameters: { type: 'object' } },
  run: async () => ({ ok: true, output: 'Version 2 is live.' }),
};

const session = createSession({ id: 'release', at: Date.now() });
const hearing = createHearing(store.commands, 'release');
const agent = new Agent({
  session,
  log: eventLogOn(store, 'release', await store.create(session, thisProcess())),
  model: createScripted([
    { calls: [{ id: 'c1', tool: 'deploy', args: { version: 2 } }] },
    { text: 'Version 2 is out.' },
  ]),
  tools: [deploy],
  rules: () => 'ask',
  // Nobody is at this terminal, so this never answers. The answer comes as a command.
  decide: () => new Promise(() => undefined),
  observe: (seen) => hearing.see(seen),
});
const status = (): string => agent.session.turn.status;
await agent.say('Release version 2.');
while (status() !== 'awaitingPermission') await sleep(5);
console.log('waits for permission');

// As another process would: its own connection, the same file. On the command line it is `pawl tell last allow`.
const elsewhere = openSqliteStore(join(folder, 'sessions.db'));
await elsewhere.commands.send('release', { kind: 'decide', callId: 'c1', decision: 'allow' });
await elsewhere.close();

// The process that runs the session looks now and then for what is asked of it.
while (status() !== 'waitingForUser') {
  await hearing.carryOut(agent);
  await sleep(5);
}
console.log(`told from elsewhere: ${answerOf(conversationOf(agent.session))}`);
await store.close();
await rm(folder, { recursive: true });
