// The log is the session: replaying it gives exactly the same state, and it can be forked at any event.
import { getConversation, createSession, replay, type Event } from '@pawl/core';
import { Agent, findTurnAnswer, resumeSession, type Tool } from '@pawl/runtime';
import { forkStoredSession } from '@pawl/runtime/logs';
import { createScriptedModel } from '@pawl/runtime/models';
import {
  createMemoryStore,
  createStoreEventLog,
  computeStateHash,
  getProcessOwner,
} from '@pawl/runtime/store';

const weather: Tool = {
  description: { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } },
  effect: 'read-only',
  run: async () => ({ ok: true, output: 'Rain until noon.' }),
};
const store = createMemoryStore();
const owner = getProcessOwner();

const created = createSession({ id: 'walk', at: Date.now() });
const log = createStoreEventLog(store, 'walk', await store.create(created, owner));
const model = createScriptedModel([{ calls: [{ tool: 'weather', args: {} }] }, { text: 'Stay at home.' }]);
const agent = new Agent({ session: created, log, model, tools: [weather] });
await agent.sendMessage('Shall we go for a walk?');
const finalSession = await agent.waitUntilIdle();
console.log(`first: ${findTurnAnswer(getConversation(finalSession))}`);

// The same events give the same session, without a model and without tools.
const events: Event[] = [];
let toolResultSeq = 0;
for await (const { seq, event } of store.events('walk')) {
  events.push(event);
  if (event.type === 'tool-finished') toolResultSeq = seq;
}
const replayedSession = replay(created, events);
console.log(
  `replayed ${events.length} events: ${computeStateHash(replayedSession) === computeStateHash(finalSession) ? 'the same' : 'another'} state`,
);

// Fork at the tool result to see what another model makes of it.
await forkStoredSession(store, 'walk', { at: toolResultSeq, newId: 'walk-again', owner, now: Date.now() });
const resumedSession = await resumeSession(store, 'walk-again', { owner });
const fork = new Agent({
  ...resumedSession,
  model: createScriptedModel([{ text: 'Go at one.' }]),
  tools: [weather],
});
await fork.resume();
console.log(`forked at ${toolResultSeq}: ${findTurnAnswer(getConversation(await fork.waitUntilIdle()))}`);
