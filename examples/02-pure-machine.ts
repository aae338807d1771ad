import { createSession, step } from '@pawl/core';

// The state machine decides which actions to run; you run them. Nothing here reads a clock, a file or a socket.
let session = createSession({ id: 'demo', at: 0 });
for (const event of [
  { type: 'user-message', at: 1, text: 'What time is it in Lisbon?' },
  { type: 'model-replied', at: 2, text: '', calls: [{ tool: 'clock', args: { city: 'Lisbon' } }] },
  { type: 'tool-finished', at: 3, callId: 'call_1_0', outcome: { ok: true, output: '14:05' } },
  { type: 'model-replied', at: 4, text: 'Five past two.', calls: [] },
] as const) {
  const { session: next, actions } = step(session, event);
  console.log(`${event.type} → ${next.turn.status}: ${actions.map((action) => action.type).join(', ')}`);
  session = next;
}
