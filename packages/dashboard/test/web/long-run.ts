import { createSession, step, type Event, type Session } from '@pawl/core';

/** Creates a session with the given number of events: repeated turns of question, calls, results and answer. */
export function createLongRun(
  count: number,
  options: { readonly id?: string; readonly at?: number } = {},
): { readonly created: Session; readonly events: readonly Event[] } {
  const { id = 'long-run', at = 1_700_000_000_000 } = options;
  const created = createSession({ id, at });
  const events: Event[] = [];
  let session = created;
  let now = at;
  const apply = (event: Event): void => {
    const next = step(session, event);
    if (next.session === session) return;
    session = next.session;
    events.push(event);
  };
  for (let turn = 0; events.length < count; turn += 1) {
    for (const event of createTurnEvents(turn)) apply({ ...event, at: (now += 150) } as Event);
  }
  return { created, events: events.slice(0, count) };
}

/** Every turn is about another file, so that the governor does not detect a loop. */
function createTurnEvents(turn: number): readonly object[] {
  const path = `src/part-${turn}.ts`;
  const read = { id: `read-${turn}`, tool: 'read', args: { path } };
  const test = { id: `test-${turn}`, tool: 'test', args: { file: `${path}.test` } };
  const usage = { inputTokens: 900 + (turn % 50) * 20, outputTokens: 60 };
  const output = `${path}: ${'a line of what is in it\n'.repeat(1 + (turn % 5))}`;
  const failed = {
    ok: false,
    error: { kind: 'failed', message: `case ${turn} of ${path} is not as expected` },
  };
  return [
    { type: 'user-message', text: `Look at ${path} and tell what is in it.` },
    { type: 'model-replied', text: `I look at ${path}.`, calls: [read, test], usage },
    { type: 'tool-started', callId: read.id },
    { type: 'tool-started', callId: test.id },
    { type: 'tool-finished', callId: read.id, outcome: { ok: true, output } },
    {
      type: 'tool-finished',
      callId: test.id,
      outcome: turn % 7 === 3 ? failed : { ok: true, output: `${turn + 3} passed` },
    },
    {
      type: 'model-replied',
      text: `In ${path} there is part ${turn}, which is as it is to be.`,
      calls: [],
      usage,
    },
  ];
}
