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
    log: { togetherMax: 1, append: async (kept) => kept.forEach((event) => stage.compare(event)) },
    observe: ({ session }) => stage.moved(session),
  });
  agent.ended.catch((error: unknown) => stage.fail(error));
  stage.begin((event) => agent.post(event));
  return stage.done;
}

type PostEvent = (event: UnstampedEvent) => Promise<boolean>;
type ReplayStage = ReturnType<typeof createReplayStage>;

/** Time without any progress after which the replay fails. */
const stallTimeoutMs = 5_000;

function createReplayStage(created: Session, events: readonly Event[]) {
  const done = Promise.withResolvers<Session>();
  const waiting = new Set<{ isMine(event: Event): boolean; go(event: Event | null): void }>();
  let session = created;
  let posted = -1;
  let post: PostEvent | undefined;
  let silence: NodeJS.Timeout | undefined;
  const next = (): Event | undefined => events[session.seq - created.seq];
  const name = (): string => `Event ${session.seq + 1} (${next()?.type})`;
  const fail = (error: unknown): void => {
    clearTimeout(silence);
    done.reject(error instanceof Error ? error : new Error(String(error)));
  };
  const go = (): void => {
    const event = next();
    clearTimeout(silence);
    if (event === undefined) return done.resolve(session);
    silence = setTimeout(() => fail(new Error(`${name()} does not come about this time.`)), stallTimeoutMs);
    if (!isExternalEvent(event)) {
      const listener = [...waiting].find((each) => each.isMine(event));
      if (listener === undefined) return;
      waiting.delete(listener);
      return listener.go(event);
    }
    if (post === undefined || posted === session.seq) return;
    posted = session.seq;
    const { at: _, ...unstamped } = event;
    const was = name();
    void post(unstamped as UnstampedEvent).then((taken) => {
      if (!taken) fail(new Error(`${was} is not taken this time.`));
    });
  };
  return {
    done: done.promise,
    fail,
    /** Returns the recorded time of the next event. */
    now: (): number => (next() ?? events.at(-1))?.at ?? created.turn.since,
    next,
    /** Returns the first remaining event that matches. */
    find: (isMine: (event: Event) => boolean): Event | undefined =>
      events.slice(session.seq - created.seq).find(isMine),
    begin(poster: PostEvent): void {
      post = poster;
      go();
    },
    moved(after: Session): void {
      session = after;
      go();
    },
    compare(event: Event): void {
      const recorded = next();
      if (recorded?.type !== event.type) throw new Error(`${name()} is a ${event.type} this time.`);
    },
    /** Resolves with the matching event when it is next in the log, or with null on abort. */
    turn(isMine: (event: Event) => boolean, signal: AbortSignal): Promise<Event | null> {
      const { promise, resolve } = Promise.withResolvers<Event | null>();
      const listener = { isMine, go: resolve };
      waiting.add(listener);
      signal.addEventListener('abort', () => {
        waiting.delete(listener);
        resolve(null);
      });
      go();
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
  const event = await stage.turn(({ type }) => types.some((each) => each === type), signal);
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
    rules: ({ permission = 'allow', because: reason }) =>
      permission === 'deny' && reason !== undefined ? { permission, reason } : permission,
    async decide({ id }, signal) {
      const isMine = (event: Event): boolean => event.type === 'permission-decided' && event.callId === id;
      const event = (await stage.turn(isMine, signal)) as EventOfType<'permission-decided'> | null;
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
      const { type: __, at: ___, request: ____, ...said } = event;
      yield { type: 'reply', ...said };
    },
  };
}

/** Returns the recorded results, call by call. */
function createRecordedTool(
  { name, effect }: ReplayedTool,
  stage: ReplayStage,
  session: () => Session,
): Tool {
  const begun = new Set<string>();
  return {
    description: { name, description: 'Answers as recorded.', parameters: {} },
    effect,
    ...(effect === 'verifiable' && { reconcile: async () => 'run-again' as const }),
    async run(args, { signal, execution }) {
      const id = findOpenCall(session(), { tool: name, args }, begun);
      const ends = (event: Event): boolean => event.type === 'tool-finished' && event.callId === id;
      const starts = (event: Event): boolean => event.type === 'tool-started' && event.callId === id;
      const start = effect === 'verifiable' ? await stage.turn(starts, signal) : null;
      const intent = start?.type === 'tool-started' ? start.intent : undefined;
      // Declaring an intent starts a verifiable tool; without one, the agent logs the start when the tool has finished.
      if (intent !== undefined) await execution?.recordIntent(intent);
      const waits = effect !== 'verifiable' || intent !== undefined;
      const end = (
        waits ? await stage.turn(ends, signal) : stage.find(ends)
      ) as EventOfType<'tool-finished'> | null;
      if (end === null) return { ok: false, error: { kind: 'cancelled', message: 'It was called off.' } };
      const { outcome, files, tests, found } = end;
      return { ...outcome, ...(files && { files }), ...(tests && { tests }), ...(found && { found }) };
    },
  };
}

/** Finds the open call with this tool and these arguments; of identical calls, the first that has not started. */
function findOpenCall(
  { turn }: Session,
  call: { readonly tool: string; readonly args: Json },
  begun: Set<string>,
): string {
  const held = getUnpausedTurn(turn);
  if (held.status !== 'executingTools') return '';
  const mine = held.executions.find(
    ({ status, call: { id, tool, args } }) =>
      status !== 'completed' &&
      tool === call.tool &&
      isDeepStrictEqual(args, call.args) &&
      !begun.has(`${held.request} ${id}`),
  );
  if (mine === undefined) return '';
  begun.add(`${held.request} ${mine.call.id}`);
  return mine.call.id;
}
