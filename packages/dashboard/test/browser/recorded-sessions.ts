import { createSession, step, type Event, type Json, type RequestedCall, type Session } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';

/** An event without its time. */
type UntimedEvent = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

export type ScriptedRecording = { readonly session: Session; readonly events: readonly Event[] };

type EventScript = {
  next(afterMs: number, event: UntimedEvent): void;
  readonly events: readonly Event[];
};

/** Records the events of a session. Throws if the session rejects an event of the script. */
function createEventScript(created: Session): EventScript {
  const events: Event[] = [];
  let now = created.turn.since;
  let session = created;
  return {
    events,
    next(afterMs, untimed) {
      now += afterMs;
      const event = { ...untimed, at: now } as Event;
      const { session: after, notes } = step(session, event);
      const refused = notes.find(({ type }) => type === 'refused');
      if (refused !== undefined) throw new Error(`${event.type} was not taken: ${JSON.stringify(refused)}`);
      session = after;
      events.push(event);
    },
  };
}

type ScriptedToolCall = { readonly tool: string; readonly args: Json; readonly tookMs?: number } & (
  | { readonly output: Json }
  | { readonly error: string }
);

let callCount = 0;

/** A reply with concurrent calls; the first call finishes first. */
function addReplyWithCalls(
  script: EventScript,
  text: string,
  wanted: readonly ScriptedToolCall[],
  replyMs = 3_000,
): void {
  const named = wanted.map((each) => {
    callCount += 1;
    return { ...each, id: `call-${callCount}` };
  });
  const asked = named.map(({ id, tool, args }): RequestedCall => ({ id, tool, args }));
  script.next(replyMs, { type: 'model-replied', text, calls: asked, usage: createUsage(text) });
  for (const { id } of named) script.next(40, { type: 'tool-started', callId: id });
  const ended = named.toSorted((one, other) => (one.tookMs ?? 800) - (other.tookMs ?? 800));
  let past = 0;
  for (const each of ended) {
    const tookMs = each.tookMs ?? 800;
    const outcome =
      'error' in each
        ? ({ ok: false, error: { kind: 'failed', message: each.error } } as const)
        : ({ ok: true, output: each.output } as const);
    script.next(tookMs - past, { type: 'tool-finished', callId: each.id, outcome });
    past = tookMs;
  }
}

function createUsage(text: string): {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
} {
  const inputTokens = 900 + callCount * 420;
  return { inputTokens, outputTokens: 60 + text.length, cost: inputTokens / 400_000 };
}

const failingTestOutput = `FAIL  test/sum.test.js
  × adds two numbers
AssertionError: expected -1 to be 5
  at test/sum.test.js:4:19`;

/** A repair in phases with concurrent calls, retries, permission, paged memory, and a loop with verdicts. */
export function createRepairSession(id: string, at: number): ScriptedRecording {
  callCount = 0;
  const { settings } = findProfile('pawl') ?? { settings: {} };
  const budgets = { modelCalls: 60, toolCalls: 40, tokens: 400_000, cost: 2, wallMs: 900_000 };
  const session = createSession({ id, at, settings: { ...settings, budgets, windowTokens: 32_000 } });
  const script = createEventScript(session);
  script.next(0, { type: 'user-message', text: 'Repair the sum, and say what was wrong with it.' });
  script.next(10, { type: 'phase-started', number: 1, description: 'look around', total: 3 });
  addReplyWithCalls(script, 'I look at what there is.', [
    { tool: 'list', args: { path: '.' }, output: ['sum.js', 'notes.md', 'test/sum.test.js'], tookMs: 300 },
    { tool: 'read', args: { path: 'sum.js' }, output: 'export const sum = (a, b) => a - b;', tookMs: 900 },
    { tool: 'search', args: { query: 'sum' }, output: '3 files', tookMs: 2_600 },
  ]);
  script.next(2_000, {
    type: 'model-failed',
    error: { kind: 'overloaded', message: 'the provider is busy' },
    jitter: 0.5,
  });
  script.next(1_300, { type: 'retry-due' });
  addMemoryCalls(script);
  script.next(20, { type: 'phase-started', number: 2, description: 'put it right' });
  addEditCall(script);
  addPaging(script);
  addLoop(script);
  script.next(30, { type: 'phase-started', number: 3, description: 'make sure' });
  for (let times = 0; times < 3; times += 1) {
    addReplyWithCalls(
      script,
      'I look at the notes again.',
      [{ tool: 'read', args: { path: 'notes.md' }, output: '# Notes\n\nThe sum is wrong.' }],
      2_500,
    );
  }
  script.next(2_000, { type: 'pause-requested', reason: 'a look at the work' });
  script.next(9_000, { type: 'resume-requested' });
  script.next(3_500, {
    type: 'model-replied',
    text: 'The sum subtracted. It adds now, and the test says so.',
    calls: [],
    usage: createUsage(''),
  });
  return { session, events: script.events };
}

/** Entries of all sizes, until paging starts. */
function addMemoryCalls(script: EventScript): void {
  const notes: readonly (readonly [string, number])[] = [
    ['goal,user', 260],
    ['files,listing', 2_600],
    ['sum.js,source', 900],
    ['test,output', 9_200],
    ['plan', 700],
    ['style,rules', 8_200],
    ['api,notes', 6_400],
    ['history,commits', 7_000],
  ];
  for (const [tags, size] of notes) {
    const value = `${tags}: `.padEnd(size, 'what was found is written down here. ');
    addReplyWithCalls(
      script,
      '',
      [{ tool: 'working_memory_add', args: { tags, value }, output: `kept under ${tags}`, tookMs: 60 }],
      1_400,
    );
  }
  addReplyWithCalls(
    script,
    '',
    [{ tool: 'working_memory_pin', args: { tags: 'plan' }, output: 'pinned', tookMs: 40 }],
    900,
  );
}

function addEditCall(script: EventScript): void {
  const args = { path: 'sum.js', old: 'a - b', new: 'a + b' };
  const call = { id: 'edit-1', tool: 'edit', args, permission: 'ask' } as const;
  script.next(4_000, {
    type: 'model-replied',
    text: 'It subtracts. I put it right.',
    calls: [call],
    usage: createUsage(''),
  });
  script.next(21_000, { type: 'permission-decided', callId: 'edit-1', decision: 'allow' });
  script.next(30, { type: 'tool-started', callId: 'edit-1' });
  script.next(700, {
    type: 'tool-finished',
    callId: 'edit-1',
    outcome: { ok: true, output: 'changed' },
    files: [{ path: 'sum.js', hash: 'b' }],
  });
  script.next(1_900, { type: 'hooks-finished', actionTaken: true });
}

/** The provider rejects the conversation as too long, so memory is paged. */
function addPaging(script: EventScript): void {
  const error = { kind: 'context-overflow', message: 'the prompt is too long' } as const;
  script.next(1_500, { type: 'model-failed', error });
  script.next(2_200, { type: 'paging-finished', freedTokens: 2_500, heldTokens: 9_000 });
}

/** Runs the same failing test repeatedly, until the call is blocked. */
function addLoop(script: EventScript): void {
  for (let times = 0; times < 3; times += 1) {
    addReplyWithCalls(
      script,
      'I run the tests.',
      [{ tool: 'test', args: { command: 'npm test' }, error: failingTestOutput, tookMs: 3_200 }],
      2_200,
    );
  }
  const again = { id: 'again', tool: 'test', args: { command: 'npm test' } };
  script.next(2_400, { type: 'model-replied', text: 'Once more.', calls: [again], usage: createUsage('') });
  addReplyWithCalls(script, 'I read the test instead.', [
    { tool: 'read', args: { path: 'test/sum.test.js' }, output: 'expect(sum(2, 3)).toBe(5)' },
  ]);
}

/** Two repairs, `one` and `other`, that differ only in their last reply. */
export function createTwoRuns(): readonly [ScriptedRecording, ScriptedRecording] {
  const one = createRepairSession('one', Date.now() - 600_000);
  const other = createRepairSession('other', Date.now() - 300_000);
  const last = { type: 'model-replied', text: 'I give up.', calls: [], at: Date.now() } as const;
  return [one, { ...other, events: [...other.events.slice(0, -1), last] }];
}
