// A process is killed during a tool call, and another process resumes the session. Nothing is lost or done twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConversation, createSession, toItemArray } from '@pawl/core';
import { Agent, findTurnAnswer, resumeSession, type Tool } from '@pawl/runtime';
import { createScriptedModel } from '@pawl/runtime/models';
import { createStoreEventLog, openSqliteStore, getProcessOwner } from '@pawl/runtime/store';

const [child] = process.argv.slice(2);
const folder = child ?? (await mkdtemp(join(tmpdir(), 'pawl-example-')));
const ledger = join(folder, 'sent.txt');
const store = openSqliteStore(join(folder, 'sessions.db'));

/** A sent letter cannot be undone, so `effect` is omitted: the runtime never repeats an interrupted call by itself. */
const send: Tool = {
  description: { name: 'send', description: 'Sends a letter.', parameters: { type: 'object' } },
  async run(args) {
    const { to } = args as { readonly to: string };
    await appendFile(ledger, `to ${to}\n`);
    // The second call never returns, so its result stays unknown.
    if (to === 'Ben') await new Promise(() => process.stdout.write('on its way'));
    return { ok: true, output: `The letter to ${to} is sent.` };
  },
};

const createLetterCall = (to: string) => ({ calls: [{ tool: 'send', args: { to } }] });
if (child !== undefined) {
  // The process that will be killed.
  const session = createSession({ id: 'letters', at: Date.now() });
  const log = createStoreEventLog(store, 'letters', await store.create(session, getProcessOwner()));
  const model = createScriptedModel([createLetterCall('Ada'), createLetterCall('Ben')]);
  const agent = new Agent({ session, log, model, tools: [send] });
  // Keep the process alive while it waits.
  setInterval(() => undefined, 1_000);
  await agent.sendMessage('Write to Ada and to Ben.');
} else {
  const other = spawn(process.execPath, [import.meta.filename, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  other.kill('SIGKILL');
  const [, signal] = await once(other, 'exit');
  console.log(`the process was ended by ${String(signal)}`);

  const resumed = await resumeSession(store, 'letters', { owner: getProcessOwner() });
  const model = createScriptedModel([{ text: 'Ada has her letter. Whether Ben has his, I do not know.' }]);
  const agent = new Agent({ ...resumed, model, tools: [send] });
  await agent.resume();
  const conversation = getConversation(await agent.waitUntilIdle());
  for (const message of toItemArray(conversation)) {
    if (message.role !== 'tool') continue;
    const { outcome } = message;
    if (outcome.ok) console.log('done:', outcome.output);
    else console.log(`${outcome.error.kind}: ${outcome.error.message}`);
  }
  console.log(findTurnAnswer(conversation));
  console.log(`letters sent: ${(await readFile(ledger, 'utf8')).trim().split('\n').join(', ')}`);
  await store.close();
  await rm(folder, { recursive: true });
}
