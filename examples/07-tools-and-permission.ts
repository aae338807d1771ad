// An agent that changes a file under permission rules. The model is scripted, so this runs offline.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConversation } from '@pawl/core';
import { Agent, findTurnAnswer } from '@pawl/runtime';
import { createScriptedModel } from '@pawl/runtime/models';
import {
  createPermissionDecider,
  createPermissionPolicy,
  parsePermissionRule,
} from '@pawl/runtime/permission';
import { detectSandbox } from '@pawl/runtime/sandbox';
import { indexFolder } from '@pawl/runtime/search';
import { createCodingTools } from '@pawl/runtime/tools';

const root = await mkdtemp(join(tmpdir(), 'pawl-example-'));
await writeFile(join(root, 'greeting.txt'), 'Helo, world.\n');
using folder = await indexFolder(root);

const commandSandbox = await detectSandbox();
const tools = createCodingTools({ folder, sandbox: commandSandbox });
const rules = ['allow edit(*.txt)', 'deny *(secrets/**)']
  .map(parsePermissionRule)
  .flatMap((each) => (each.ok ? [each.rule] : []));
const permissions = createPermissionPolicy({
  mode: 'ask',
  rules,
  root: folder.root,
  tools,
  sandboxed: false,
});

const model = createScriptedModel([
  { calls: [{ tool: 'read', args: { path: 'greeting.txt' } }] },
  { calls: [{ tool: 'edit', args: { path: 'greeting.txt', old: 'Helo', new: 'Hello' } }] },
  { calls: [{ tool: 'write', args: { path: 'secrets/key.txt', content: 'x' } }] },
  { calls: [{ tool: 'finish', args: { answer: 'The greeting is spelt right now.' } }] },
]);

const agent = new Agent({
  model,
  tools: permissions.guard(tools),
  rules: permissions.rules,
  // No user can be asked here, so calls that no rule allows are denied.
  decide: createPermissionDecider({ permissions, ask: null }),
  observe({ event, actions }) {
    for (const action of actions)
      if (action.type === 'run-tools') for (const call of action.calls) console.log(`runs ${call.tool}`);
    if (event.type === 'tool-finished' && !event.outcome.ok) console.log(`  ${event.outcome.error.message}`);
  },
});
await agent.sendMessage('Mend the spelling of the greeting.');
const session = await agent.waitUntilIdle();

console.log(permissions.explain({ tool: 'write', args: { path: 'secrets/key.txt', content: 'x' } }).reason);
console.log((await readFile(join(root, 'greeting.txt'), 'utf8')).trim());
console.log(findTurnAnswer(getConversation(session)));
await rm(root, { recursive: true });
