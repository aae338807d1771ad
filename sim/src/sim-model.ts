import type { Json, ModelErrorKind, RequestedCall } from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from '@pawl/runtime';
import type { SessionLedger } from './oracle/session-ledger.ts';
import { findPlannedSession, type PlannedCall } from './plan.ts';
import { drawDelay, waitForScheduler } from './port-call.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/** A model that streams the planned replies in chunks and fails as real models do. */
export function createSimModel(world: SimWorld, driver: SessionDriver, marks: () => string): Model {
  return {
    name: 'simulated',
    async *stream(request, signal) {
      world.oracle.onRequest(driver, request);
      const port = createModelPort(world, driver, signal);
      await port.begin();
      if (port.hasFault('model-error')) return yield drawModelFailure(world);
      if (port.hasFault('model-stall')) {
        await port.stall();
        return yield { type: 'failure', error: { kind: 'timeout', message: 'no byte for too long' } };
      }
      const reply = buildPlannedReply(world, driver, { request, marks });
      yield { type: 'text', text: `${reply.text} ` };
      await port.wait();
      for (const { id = 'c', tool, args } of reply.calls)
        yield { type: 'call', callId: id, tool, fragment: JSON.stringify(args).slice(0, 9) };
      // Truncated stream: nothing streamed so far may be acted on.
      if (port.hasFault('model-truncated')) return;
      await port.wait();
      const chunk = port.hasFault('model-garbage') ? drawGarbageReply(world, reply) : reply;
      if (chunk.type === 'reply') world.oracle.onReply(chunk.text);
      yield chunk;
    },
  };
}

type SimReplyChunk = Extract<ModelChunk, { type: 'reply' }>;

function createModelPort(world: SimWorld, driver: SessionDriver, signal: AbortSignal) {
  const caller = { process: driver.process.name, kind: 'model' };
  const name = driver.session;
  return {
    begin: () =>
      waitForScheduler(world, caller, {
        name: `${name} begins`,
        inMs: 20 + drawDelay(world, 'model'),
        signal,
      }),
    wait: () => waitForScheduler(world, caller, { name, inMs: 20 + drawDelay(world, 'model'), signal }),
    stall: () => waitForScheduler(world, caller, { name: `${name} stalls`, inMs: Infinity, signal }),
    hasFault: (fault: 'model-error' | 'model-stall' | 'model-truncated' | 'model-garbage') =>
      world.faults.shouldFail(fault, name),
  };
}

const simulatedFailures: readonly (readonly [kind: ModelErrorKind, retryAfterMs?: number])[] = [
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

function drawModelFailure(world: SimWorld): ModelChunk {
  const drawn = world.choices.choose('model failure', (random) => random.below(simulatedFailures.length));
  const [kind, retryAfterMs] = simulatedFailures[drawn % simulatedFailures.length] ?? ['unknown'];
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

type ReplyRequest = { readonly request: ModelRequest; readonly marks: () => string };

/**
 * Builds the reply for the next planned step of the persisted state. A retry after a crash gives a different reply,
 * because its marks are new.
 */
function buildPlannedReply(
  world: SimWorld,
  driver: SessionDriver,
  { request, marks }: ReplyRequest,
): SimReplyChunk {
  const ledger = world.oracle.ledgers.get(driver.session);
  const planned = request.tools.length === 0 ? [] : getDueStep(world, ledger);
  const usage = { inputTokens: 100, outputTokens: 10 };
  const text = planned.length === 0 ? `Done: ${marks()}.` : `Next: ${marks()}.`;
  return { type: 'reply', text, calls: planned.map((call) => toRequestedCall(call, marks())), usage };
}

function getDueStep({ plan }: SimWorld, ledger: SessionLedger | undefined): readonly PlannedCall[] {
  if (ledger === undefined) return [];
  return findPlannedSession(plan, ledger.id)?.turns[ledger.turns - 1]?.steps[ledger.replies] ?? [];
}

function toRequestedCall({ tool, permission, id }: PlannedCall, mark: string): RequestedCall {
  // Simulates providers that restart call ids in every reply or provide none.
  const ids = { fresh: { id: `call-${mark}` }, same: { id: 'call-1' }, none: {} } as const;
  const args: Json = { mark, permission, path: `file-${mark.length % 3}`, ...ids[id] };
  return { ...ids[id], tool, args };
}

/** Malformed replies; none of them may cause harm. */
function drawGarbageReply(world: SimWorld, reply: SimReplyChunk): ModelChunk {
  const calls = reply.calls.map((call) => ({ ...call, id: 'same' }));
  const malformed: readonly ModelChunk[] = [
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
  const drawn = world.choices.choose('garbage', (random) => random.below(malformed.length));
  return malformed[drawn % malformed.length] ?? reply;
}
