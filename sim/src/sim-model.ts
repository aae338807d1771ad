import type { Json, ModelErrorKind, RequestedCall } from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from '@pawl/runtime';
import type { Book } from './oracle/book.ts';
import { plannedSession, type PlannedCall } from './plan.ts';
import { delay, hop } from './port.ts';
import type { Driver, World } from './world.ts';

/** A model that says what the plan says, streams it in pieces, and fails as models do. */
export function modelOf(world: World, driver: Driver, marks: () => string): Model {
  return {
    name: 'simulated',
    async *stream(request, signal) {
      world.oracle.asked(driver, request);
      const say = saying(world, driver, signal);
      await say.begin();
      if (say.strikes('model-error')) return yield failure(world);
      if (say.strikes('model-stall')) {
        await say.stall();
        return yield { type: 'failure', error: { kind: 'timeout', message: 'no byte for too long' } };
      }
      const reply = replyFor(world, driver, { request, marks });
      yield { type: 'text', text: `${reply.text} ` };
      await say.wait();
      for (const { id = 'c', tool, args } of reply.calls)
        yield { type: 'call', callId: id, tool, fragment: JSON.stringify(args).slice(0, 9) };
      // Cut off in the middle: nothing of what was said so far may be acted on.
      if (say.strikes('model-truncated')) return;
      await say.wait();
      const said = say.strikes('model-garbage') ? garbage(world, reply) : reply;
      if (said.type === 'reply') world.oracle.replied(said.text);
      yield said;
    },
  };
}

type Reply = Extract<ModelChunk, { type: 'reply' }>;

function saying(world: World, driver: Driver, signal: AbortSignal) {
  const caller = { process: driver.process.name, kind: 'model' };
  const name = driver.session;
  return {
    begin: () => hop(world, caller, { name: `${name} begins`, inMs: 20 + delay(world, 'model'), signal }),
    wait: () => hop(world, caller, { name, inMs: 20 + delay(world, 'model'), signal }),
    stall: () => hop(world, caller, { name: `${name} stalls`, inMs: Infinity, signal }),
    strikes: (fault: 'model-error' | 'model-stall' | 'model-truncated' | 'model-garbage') =>
      world.faults.strikes(fault, name),
  };
}

const failures: readonly (readonly [kind: ModelErrorKind, retryAfterMs?: number])[] = [
  ['overloaded'],
  ['rate-limit', 1_500],
  ['rate-limit', -5],
  ['rate-limit', 900_000],
  ['network'],
  ['context-overflow'],
  ['auth'],
  ['refused'],
  ['unknown'],
];

function failure(world: World): ModelChunk {
  const drawn = world.choices.choose('model failure', (random) => random.below(failures.length));
  const [kind, retryAfterMs] = failures[drawn % failures.length] ?? ['unknown'];
  const retryable = kind !== 'auth' && kind !== 'refused';
  return {
    type: 'failure',
    error: {
      kind,
      message: `simulated: ${kind}`,
      retryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  };
}

type Asked = { readonly request: ModelRequest; readonly marks: () => string };

/** The step that is due by what is kept. Asked again after a crash, a model says something else: the marks are new. */
function replyFor(world: World, driver: Driver, { request, marks }: Asked): Reply {
  const book = world.oracle.books.get(driver.session);
  const planned = request.tools.length === 0 ? [] : dueStep(world, book);
  const usage = { inputTokens: 100, outputTokens: 10 };
  const text = planned.length === 0 ? `Done: ${marks()}.` : `Next: ${marks()}.`;
  return { type: 'reply', text, calls: planned.map((call) => callFor(call, marks())), usage };
}

function dueStep({ plan }: World, book: Book | undefined): readonly PlannedCall[] {
  if (book === undefined) return [];
  return plannedSession(plan, book.id)?.turns[book.turns - 1]?.steps[book.replies] ?? [];
}

function callFor({ tool, permission, id }: PlannedCall, mark: string): RequestedCall {
  // A provider that counts its calls anew in every reply, or leaves the counting to others.
  const ids = { fresh: { id: `call-${mark}` }, same: { id: 'call-1' }, none: {} } as const;
  const args: Json = { mark, permission, path: `file-${mark.length % 3}`, ...ids[id] };
  return { ...ids[id], tool, args };
}

/** Things that are no proper reply. Whatever comes of them, none of it may do harm. */
function garbage(world: World, reply: Reply): ModelChunk {
  const calls = reply.calls.map((call) => ({ ...call, id: 'same' }));
  const odd: readonly ModelChunk[] = [
    { ...reply, calls },
    { ...reply, text: '', calls: [] },
    { ...reply, problem: 'There are two answers in this reply.' },
    { ...reply, usage: { inputTokens: NaN, outputTokens: 1 } },
    {
      ...reply,
      calls: [...reply.calls, { id: '', tool: '__proto__', args: JSON.parse('{"__proto__":{"mark":1}}') }],
    },
    { ...reply, text: '\uD800 lone' },
  ];
  const drawn = world.choices.choose('garbage', (random) => random.below(odd.length));
  return odd[drawn % odd.length] ?? reply;
}
