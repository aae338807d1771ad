import { isDeepStrictEqual } from 'node:util';
import { getUnpausedTurn, type Event, type Json, type Session, type EventOfType } from '@pawl/core';
import { Agent, type AgentOptions, type Model, type Tool, type UnstampedEvent } from '@pawl/runtime';

/** A recorded session: its initial state, its events, and the effects of the tools that were called. */
export type SessionRecording = {
  readonly created: Session;
  readonly events: readonly Event[];
  readonly tools: readonly ReplayedTool[];
};

export type ReplayedTool = {
  readonly name: string;
  readonly effect: 'read-only' | 'verifiable' | 'not-repeatable';
};

/**
 * Replays a recording with an agent and resolves to the final session. The model, tools, hooks, user and clock return
 * what was recorded, in the order of the log.
 */
export async function replayRecording({ created, events, tools }: SessionRecording): Promise<Session> {
  const stage = createReplayStage(created, events);
  const agent = new Agent({
    ...createReplayPorts(stage),
    session: created,
    tools: tools.map((tool) => createRecordedTool(tool, stage, () => agent.session)),
    // Append one event at a time, so that events are interleaved as recorded and each keeps its own time.
    log: { togetherMax: 1, append: async (appended) => appended.forEach((event) => stage.compare(event)) },
    observe: ({ session }) => stage.onStep(session),
  });
  agent.ended.catch((error: unknown) => stage.fail(error));
  stage.start((event) => agent.post(event));
  return stage.done;
}

type PostEvent = (event: UnstampedEvent) => Promise<boolean>;
type ReplayStage = ReturnType<typeof createReplayStage>;

/** Time without any progress after which the replay fails. */
const stallTimeoutMs = 5_000;

function createReplayStage(created: Session, events: readonly Event[]) {
  const done = Promise.withResolvers<Session>();
  const waiting = new Set<{ matches(event: Event): boolean; resolve(event: Event | null): void }>();
  let session = created;
  let posted = -1;
  let post: PostEvent | undefined;
  let stallTimer: NodeJS.Timeout | undefined;
  const next = (): Event | undefined => events[session.seq - created.seq];
  const name = (): string => `Event ${session.seq + 1} (${next()?.type})`;
  const fail = (error: unknown): void => {
    clearTimeout(stallTimer);
    done.reject(error instanceof Error ? error : new Error(String(error)));
  };
  const advance = (): void => {
    const event = next();
    clearTimeout(stallTimer);
    if (event === undefined) return done.resolve(session);
    stallTimer = setTimeout(() => fail(new Error(`${name()} does not occur in the replay.`)), stallTimeoutMs);
    if (!isExternalEvent(event)) {
      const listener = [...waiting].find((each) => each.matches(event));
      if (listener === undefined) return;
      waiting.delete(listener);
      return listener.resolve(event);
    }
    if (post === undefined || posted === session.seq) return;
    posted = session.seq;
    const { at: _, ...unstamped } = event;
    const eventName = name();
    void post(unstamped as UnstampedEvent).then((accepted) => {
      if (!accepted) fail(new Error(`${eventName} is not accepted in the replay.`));
    });
  };
  return {
    done: done.promise,
    fail,
    /** Returns the recorded time of the next event. */
    now: (): number => (next() ?? events.at(-1))?.at ?? created.turn.since,
    next,
    /** Returns the first remaining event that matches. */
    find: (matches: (event: Event) => boolean): Event | undefined =>
      events.slice(session.seq - created.seq).find(matches),
    start(poster: PostEvent): void {
      post = poster;
      advance();
    },
    onStep(after: Session): void {
      session = after;
      advance();
    },
    compare(event: Event): void {
      const recorded = next();
      if (recorded?.type !== event.type) throw new Error(`${name()} is a ${event.type} in the replay.`);
    },
    /** Resolves with the matching event when it is next in the log, or with null on abort. */
    waitFor(matches: (event: Event) => boolean, signal: AbortSignal): Promise<Event | null> {
      const { promise, resolve } = Promise.withResolvers<Event | null>();
      const listener = { matches, resolve };
      waiting.add(listener);
      signal.addEventListener('abort', () => {
        waiting.delete(listener);
        resolve(null);
      });
      advance();
      return promise;
    },
  };
}

const actionAnswerTypes: ReadonlySet<Event['type']> = new Set([
  'model-replied',
  'model-failed',
  'permission-decided',
  'tool-started',
  'tool-finished',
  'hooks-finished',
  'hooks-failed',
  'retry-due',
  'recovery-finished',
  'paging-finished',
  'paging-failed',
]);

/** Returns whether an event comes from the user or the host program, that is, answers no action of the machine. */
function isExternalEvent({ type }: Event): boolean {
  return !actionAnswerTypes.has(type);
}

/** Waits for an event of one of these types. */
async function waitForEventType<Type extends Event['type']>(
  stage: ReplayStage,
  types: readonly Type[],
  signal: AbortSignal,
): Promise<EventOfType<Type> | null> {
  const event = await stage.waitFor(({ type }) => types.some((each) => each === type), signal);
  return event as EventOfType<Type> | null;
}

function createReplayPorts(stage: ReplayStage): Omit<AgentOptions, 'tools'> {
  return {
    model: createRecordedModel(stage),
    clock: {
      now: stage.now,
      // A wait ends when the log reaches the event that followed it.
      sleepUntil: async (_, signal) =>
        void (await waitForEventType(stage, ['retry-due', 'recovery-finished'], signal)),
    },
    random: () => {
      const event = stage.next();
      return event !== undefined && 'jitter' in event ? (event.jitter ?? 0) : 0;
    },
    rules: ({ permission = 'allow', denialReason: reason }) =>
      permission === 'deny' && reason !== undefined ? { permission, reason } : permission,
    async decide({ id }, signal) {
      const matches = (event: Event): boolean => event.type === 'permission-decided' && event.callId === id;
      const event = (await stage.waitFor(matches, signal)) as EventOfType<'permission-decided'> | null;
      if (event === null) return { decision: 'deny' };
      const { decision, reason } = event;
      return reason === undefined ? { decision } : { decision, reason };
    },
    async hooks(_, signal) {
      const event = await waitForEventType(stage, ['hooks-finished', 'hooks-failed'], signal);
      if (event?.type === 'hooks-failed') throw new Error(event.message);
      return event?.actionTaken ?? false;
    },
    async page(_, signal) {
      const event = await waitForEventType(stage, ['paging-finished', 'paging-failed'], signal);
      if (event?.type === 'paging-failed') throw new Error(event.message);
      const { freedTokens = 0, heldTokens } = event ?? {};
      return heldTokens === undefined ? { freedTokens } : { freedTokens, heldTokens };
    },
    async recover(_, signal) {
      const event = await waitForEventType(stage, ['recovery-finished'], signal);
      return event?.outcome ?? { kind: 'check' };
    },
  };
}

/** Returns the recorded replies. */
function createRecordedModel(stage: ReplayStage): Model {
  return {
    name: 'recorded',
    async *stream(_, signal) {
      const event = await waitForEventType(stage, ['model-replied', 'model-failed'], signal);
      if (event === null) return;
      if (event.type === 'model-failed') {
        yield { type: 'failure', error: event.error };
        return;
      }
      const { type: __, at: ___, request: ____, ...reply } = event;
      yield { type: 'reply', ...reply };
    },
  };
}

/** Returns the recorded results, call by call. */
function createRecordedTool(
  { name, effect }: ReplayedTool,
  stage: ReplayStage,
  session: () => Session,
): Tool {
  const startedCalls = new Set<string>();
  return {
    description: { name, description: 'Returns recorded results.', parameters: {} },
    effect,
    ...(effect === 'verifiable' && { reconcile: async () => 'run-again' as const }),
    async run(args, { signal, execution }) {
      const id = findOpenCall(session(), { tool: name, args }, startedCalls);
      const ends = (event: Event): boolean => event.type === 'tool-finished' && event.callId === id;
      const starts = (event: Event): boolean => event.type === 'tool-started' && event.callId === id;
      const start = effect === 'verifiable' ? await stage.waitFor(starts, signal) : null;
      const intent = start?.type === 'tool-started' ? start.intent : undefined;
      // Declaring an intent starts a verifiable tool; without one, the agent logs the start when the tool has finished.
      if (intent !== undefined) await execution?.recordIntent(intent);
      const waits = effect !== 'verifiable' || intent !== undefined;
      const end = (
        waits ? await stage.waitFor(ends, signal) : stage.find(ends)
      ) as EventOfType<'tool-finished'> | null;
      if (end === null)
        return { ok: false, error: { kind: 'cancelled', message: 'The call was cancelled.' } };
      const { outcome, files, tests, foundEntries } = end;
      return {
        ...outcome,
        ...(files && { files }),
        ...(tests && { tests }),
        ...(foundEntries && { foundEntries }),
      };
    },
  };
}

/** Finds the open call with this tool and these arguments; of identical calls, the first that has not started. */
function findOpenCall(
  { turn }: Session,
  call: { readonly tool: string; readonly args: Json },
  startedCalls: Set<string>,
): string {
  const activeTurn = getUnpausedTurn(turn);
  if (activeTurn.status !== 'executingTools') return '';
  const execution = activeTurn.executions.find(
    ({ status, call: { id, tool, args } }) =>
      status !== 'completed' &&
      tool === call.tool &&
      isDeepStrictEqual(args, call.args) &&
      !startedCalls.has(`${activeTurn.request} ${id}`),
  );
  if (execution === undefined) return '';
  startedCalls.add(`${activeTurn.request} ${execution.call.id}`);
  return execution.call.id;
}
