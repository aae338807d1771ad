import { isDeepStrictEqual } from 'node:util';
import { unpaused, type Event, type Json, type Session } from '@pawl/core';
import { Agent, type AgentOptions, type Model, type Tool, type Unstamped } from '@pawl/runtime';

/** A session as it was recorded: how it began, what happened, and how the tools that were called behave. */
export type Recording = {
  readonly created: Session;
  readonly events: readonly Event[];
  readonly tools: readonly RecordedTool[];
};

export type RecordedTool = {
  readonly name: string;
  readonly effect: 'read-only' | 'verifiable' | 'not-repeatable';
};

/**
 * Lets an agent do it all again, and resolves to the session it ends with. Whoever answers it (the model, tools, hooks, the
 * user, the clock) says what was recorded, when it is its turn in the log.
 */
export async function playAgain({ created, events, tools }: Recording): Promise<Session> {
  const stage = createStage(created, events);
  const agent = new Agent({
    ...worldOn(stage),
    session: created,
    tools: tools.map((tool) => recordedTool(tool, stage, () => agent.session)),
    // One by one: what was said in between comes in between again, and each has its own time.
    log: { togetherMax: 1, append: async (kept) => kept.forEach((event) => stage.compare(event)) },
    observe: ({ session }) => stage.moved(session),
  });
  agent.ended.catch((error: unknown) => stage.fail(error));
  stage.begin((event) => agent.post(event));
  return stage.done;
}

type Post = (event: Unstamped) => Promise<boolean>;
type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

type Stage = ReturnType<typeof createStage>;

/** How long nothing may happen before it is plain that nothing will. */
const silenceMs = 5_000;

function createStage(created: Session, events: readonly Event[]) {
  const done = Promise.withResolvers<Session>();
  const waiting = new Set<{ isMine(event: Event): boolean; go(event: Event | null): void }>();
  let session = created;
  let posted = -1;
  let post: Post | undefined;
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
    silence = setTimeout(() => fail(new Error(`${name()} does not come about this time.`)), silenceMs);
    if (!comesFromOutside(event)) {
      const listener = [...waiting].find((each) => each.isMine(event));
      if (listener === undefined) return;
      waiting.delete(listener);
      return listener.go(event);
    }
    if (post === undefined || posted === session.seq) return;
    posted = session.seq;
    const { at: _, ...unstamped } = event;
    const was = name();
    void post(unstamped as Unstamped).then((taken) => {
      if (!taken) fail(new Error(`${was} is not taken this time.`));
    });
  };
  return {
    done: done.promise,
    fail,
    /** Everything that is kept next has the time it was recorded with. */
    now: (): number => (next() ?? events.at(-1))?.at ?? created.turn.since,
    next,
    /** The first event from here on that fits. */
    find: (isMine: (event: Event) => boolean): Event | undefined =>
      events.slice(session.seq - created.seq).find(isMine),
    begin(poster: Post): void {
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
    /** Resolves when it is this listener's turn, or to null when nobody wants to hear it any longer. */
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

const answers: ReadonlySet<Event['type']> = new Set([
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

/** What the user or the program around the agent said: all that answers no action of the machine. */
function comesFromOutside({ type }: Event): boolean {
  return !answers.has(type);
}

/** Waits for one of some kinds of events. */
async function one<Type extends Event['type']>(
  stage: Stage,
  types: readonly Type[],
  signal: AbortSignal,
): Promise<EventOf<Type> | null> {
  const event = await stage.turn(({ type }) => types.some((each) => each === type), signal);
  return event as EventOf<Type> | null;
}

function worldOn(stage: Stage): Omit<AgentOptions, 'tools'> {
  return {
    model: recordedModel(stage),
    clock: {
      now: stage.now,
      // A wait is over when the log says what came after it.
      until: async (_, signal) => void (await one(stage, ['retry-due', 'recovery-finished'], signal)),
    },
    random: () => {
      const event = stage.next();
      return event !== undefined && 'jitter' in event ? (event.jitter ?? 0) : 0;
    },
    rules: ({ permission = 'allow', because }) =>
      permission === 'deny' && because !== undefined ? { permission, because } : permission,
    async decide({ id }, signal) {
      const isMine = (event: Event): boolean => event.type === 'permission-decided' && event.callId === id;
      const event = (await stage.turn(isMine, signal)) as EventOf<'permission-decided'> | null;
      if (event === null) return { decision: 'deny' };
      const { decision, reason } = event;
      return reason === undefined ? { decision } : { decision, reason };
    },
    async hooks(_, signal) {
      const event = await one(stage, ['hooks-finished', 'hooks-failed'], signal);
      if (event?.type === 'hooks-failed') throw new Error(event.message);
      return event?.actionTaken ?? false;
    },
    async page(_, signal) {
      const event = await one(stage, ['paging-finished', 'paging-failed'], signal);
      if (event?.type === 'paging-failed') throw new Error(event.message);
      const { freedTokens = 0, heldTokens } = event ?? {};
      return heldTokens === undefined ? { freedTokens } : { freedTokens, heldTokens };
    },
    async recover(_, signal) {
      const event = await one(stage, ['recovery-finished'], signal);
      return event?.outcome ?? { kind: 'check' };
    },
  };
}

/** Says what the model said. */
function recordedModel(stage: Stage): Model {
  return {
    name: 'recorded',
    async *stream(_, signal) {
      const event = await one(stage, ['model-replied', 'model-failed'], signal);
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

/** Gives back what the tool gave back, call by call. */
function recordedTool({ name, effect }: RecordedTool, stage: Stage, session: () => Session): Tool {
  const begun = new Set<string>();
  return {
    description: { name, description: 'Answers as recorded.', parameters: {} },
    effect,
    ...(effect === 'verifiable' && { settle: async () => 'run-again' as const }),
    async run(args, { signal, execution }) {
      const id = openCall(session(), { tool: name, args }, begun);
      const ends = (event: Event): boolean => event.type === 'tool-finished' && event.callId === id;
      const starts = (event: Event): boolean => event.type === 'tool-started' && event.callId === id;
      const start = effect === 'verifiable' ? await stage.turn(starts, signal) : null;
      const intent = start?.type === 'tool-started' ? start.intent : undefined;
      // A tool that says what it intends has started by saying so; one that did not is started when it has ended.
      if (intent !== undefined) await execution?.intend(intent);
      const waits = effect !== 'verifiable' || intent !== undefined;
      const end = (
        waits ? await stage.turn(ends, signal) : stage.find(ends)
      ) as EventOf<'tool-finished'> | null;
      if (end === null) return { ok: false, error: { kind: 'cancelled', message: 'It was called off.' } };
      const { outcome, files, tests, found } = end;
      return { ...outcome, ...(files && { files }), ...(tests && { tests }), ...(found && { found }) };
    },
  };
}

/** Which of the calls under way this is. Of two that are the same, the first that has not begun. */
function openCall(
  { turn }: Session,
  call: { readonly tool: string; readonly args: Json },
  begun: Set<string>,
): string {
  const held = unpaused(turn);
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
