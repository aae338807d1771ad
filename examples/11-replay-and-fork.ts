// The log is the session: replayed it gives the same state to the letter, and from any event it can go another way.
import { conversationOf, createSession, replay, type Event } from '@pawl/core';
import {
  Agent,
  answerOf,
  createMemoryStore,
  createScripted,
  eventLogOn,
  fork,
  stateHash,
  takeUp,
  thisProcess,
  type Tool,
} from '@pawl/runtime';

const weather: Tool = {
  description: { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } },
  effect: 'read-only',
  run: async () => ({ ok: true, output: 'Rain until noon.' }),
};
const store = createMemoryStore();
const owner = thisProcess();

const created = createSession({ id: 'walk', at: Date.now() });
const log = eventLogOn(store, 'walk', await store.create(created, owner));
const model = createScripted([{ calls: [{ tool: 'weather', args: {} }] }, { text: 'Stay at home.' }]);
const agent = new Agent({ session: created, log, model, tools: [weather] });
await agent.say('Shall we go for a walk?');
const ended = await agent.idle();
console.log(`first: ${answerOf(conversationOf(ended))}`);

// Without a model and without tools, the same events give the same session.
const events: Event[] = [];
let afterTheCall = 0;
for await (const { seq, event } of store.events('walk')) {
  events.push(event);
  if (event.type === 'tool-finished') afterTheCall = seq;
}
const again = replay(created, events);
console.log(
  `replayed ${events.length} events: ${stateHash(again) === stateHash(ended) ? 'the same' : 'another'} state`,
);

// What would another model have made of the same weather?
await fork(store, 'walk', { at: afterTheCall, as: 'walk-again', owner, now: Date.now() });
const taken = await takeUp(store, 'walk-again', { owner });
const optimist = new Agent({ ...taken, model: createScripted([{ text: 'Go at one.' }]), tools: [weather] });
await optimist.resume();
console.log(`forked at ${afterTheCall}: ${answerOf(conversationOf(await optimist.idle()))}`);
