// A process is killed in the middle of a call, and another goes on. Nothing is lost, and nothing is done twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationOf, createSession, toArray } from '@pawl/core';
import {
  Agent,
  answerOf,
  createScripted,
  eventLogOn,
  openSqliteStore,
  takeUp,
  thisProcess,
  type Tool,
} from '@pawl/runtime';

const [child] = process.argv.slice(2);
const folder = child ?? (await mkdtemp(join(tmpdir(), 'pawl-example-')));
const ledger = join(folder, 'sent.txt');
const store = openSqliteStore(join(folder, 'sessions.db'));

/** Nobody can take a letter back, so `effect` is left out: a call of it is never repeated without being asked for again. */
const send: Tool = {
  description: { name: 'send', description: 'Sends a letter.', parameters: { type: 'object' } },
  async run(args) {
    const { to } = args as { readonly to: string };
    await appendFile(ledger, `to ${to}\n`);
    // The second letter is on its way, and its result will never be known.
    if (to === 'Ben') await new Promise(() => process.stdout.write('on its way'));
    return { ok: true, output: `The letter to ${to} is sent.` };
  },
};

const letterTo = (to: string) => ({ calls: [{ tool: 'send', args: { to } }] });
if (child !== undefined) {
  // The process that will be killed.
  const session = createSession({ id: 'letters', at: Date.now() });
  const log = eventLogOn(store, 'letters', await store.create(session, thisProcess()));
  const model = createScripted([letterTo('Ada'), letterTo('Ben')]);
  const agent = new Agent({ session, log, model, tools: [send] });
  // Nothing else would keep it alive: it has nothing to do but wait.
  setInterval(() => undefined, 1_000);
  await agent.say('Write to Ada and to Ben.');
} else {
  const other = spawn(process.execPath, [import.meta.filename, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  other.kill('SIGKILL');
  const [, signal] = await once(other, 'exit');
  console.log(`the process was ended by ${String(signal)}`);

  const taken = await takeUp(store, 'letters', { owner: thisProcess() });
  const model = createScripted([{ text: 'Ada has her letter. Whether Ben has his, I do not know.' }]);
  const agent = new Agent({ ...taken, model, tools: [send] });
  await agent.resume();
  const conversation = conversationOf(await agent.idle());
  for (const message of toArray(conversation)) {
    if (message.role !== 'tool') continue;
    const { outcome } = message;
    if (outcome.ok) console.log('done:', outcome.output);
    else console.log(`${outcome.error.kind}: ${outcome.error.message}`);
  }
  console.log(answerOf(conversation));
  console.log(`letters sent: ${(await readFile(ledger, 'utf8')).trim().split('\n').join(', ')}`);
  await store.close();
  await rm(folder, { recursive: true });
}
