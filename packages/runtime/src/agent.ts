import {
  createSession,
  createMemory,
  isTerminalSession,
  memorySettings,
  listPendingActions,
  step,
  type Action,
  type Event,
  type Session,
  type SessionStep,
  type StoredEntry,
} from '@pawl/core';
import { systemClock, type RuntimeClock } from './clock.ts';
import { createMemoryLog, type EventLog } from './event-log.ts';
import { createMemorySpool } from './executions/spool.ts';
import { createInMemoryStorage } from './memory/in-memory-storage.ts';
import { compactContext } from './memory/compact-context.ts';
import { createMemoryManager, type MemoryManager } from './memory/memory-manager.ts';
import { createMemoryTools } from './memory/memory-tools.ts';
import { ActionRunner } from './action-runner.ts';
import { StoreError } from './store/store-error.ts';
import { getErrorMessage, type UnstampedEvent, type AgentDependencies } from './agent-dependencies.ts';

/** Passed to the observer after each event: the event and the result of `step`. */
export type StepResult = SessionStep & { readonly event: Event };

export type AgentOptions = Pick<AgentDependencies, 'model' | 'tools'> &
  Partial<AgentDependencies> & {
    /** Session to continue; defaults to a new session with the default profile. */
    readonly session?: Session;
    readonly id?: string;
    readonly log?: EventLog;
    readonly clock?: RuntimeClock;
    readonly observe?: (seen: StepResult) => void;
    /** Called when the log is full or busy, and with null once writes succeed again. */
    readonly onStoreOutage?: (trouble: StoreOutage | null) => void;
    /** Entries that the session's last event moved to storage; `resume` writes them again in case they are missing. */
    readonly unsavedEntries?: readonly StoredEntry[];
  };

/** Why the log currently rejects writes. The agent retries and continues on its own once the outage is over. */
export type StoreOutage = { readonly kind: 'full' | 'busy'; readonly message: string };

type QueuedEvent = { readonly event: UnstampedEvent; readonly done: (taken: boolean) => void };

/** An event that was reduced but is not persisted yet. Observers have not seen it. */
type PendingStep = {
  readonly event: Event;
  readonly before: Session;
  readonly result: SessionStep;
  readonly hasBegun: boolean;
  readonly done: QueuedEvent['done'];
};

/** Maximum number of events per append, unless the log sets `togetherMax`. */
const defaultBatchMax = 100;

/** Backoff between attempts to append to an unavailable log. */
const outageRetryMs = { first: 200, max: 5_000 } as const;

/**
 * The agent loop: reduce an event with `step`, persist it, notify the observer, run its actions.
 * All events enter through `post` and are processed in order. A reply and the starts of its tool calls are persisted in
 * one append, and observers see none of them before that.
 */
export class Agent {
  readonly #clock: RuntimeClock;
  readonly #log: EventLog;
  readonly #observe: (seen: StepResult) => void;
  readonly #performer: ActionRunner;
  readonly #keeper: MemoryManager;
  readonly #queue: QueuedEvent[] = [];
  readonly #ended = Promise.withResolvers<Session>();
  readonly #idlers: (() => void)[] = [];
  readonly #onTrouble: (trouble: StoreOutage | null) => void;
  readonly #unstored: readonly StoredEntry[];
  readonly #leaving = new AbortController();
  readonly #left = Promise.withResolvers<void>();
  #session: Session;
  #draining = false;
  /** Set while `resume` prepares the session. Events wait for it, because a call started now would look interrupted. */
  #preparing: Promise<void> | null = null;
  /** Events are no longer accepted: the log cannot be written, or the agent was detached from the session. */
  #closed = false;

  constructor(options: AgentOptions) {
    const { id = crypto.randomUUID(), clock = systemClock, log = createMemoryLog() } = options;
    this.#clock = clock;
    this.#log = log;
    this.#observe = options.observe ?? (() => undefined);
    this.#onTrouble = options.onStoreOutage ?? (() => undefined);
    this.#unstored = options.unsavedEntries ?? [];
    this.#session = options.session ?? createDefaultSession(id, clock.now());
    const world = createAgentDependencies(options, this.#session, clock, () => this.#session);
    this.#keeper = world.memory;
    this.#performer = new ActionRunner({
      world,
      clock,
      post: (event) => this.post(event),
      isKept: () => !this.#closed,
    });
    // Avoid an unhandled rejection when nothing awaits "ended".
    this.#ended.promise.catch(() => undefined);
  }

  get session(): Session {
    return this.#session;
  }

  /** Resolves when the session has ended; rejects if the event log cannot be written. */
  get ended(): Promise<Session> {
    return this.#ended.promise;
  }

  /**
   * Resumes the session's pending work. Interrupted calls are reconciled first, so that no call is lost and only
   * repeatable calls run twice.
   */
  async resume(): Promise<void> {
    this.#preparing = this.#prepare();
    await this.#preparing;
    this.#preparing = null;
    await this.#performer.settle(this.#session);
    this.#perform(listPendingActions(this.#session), this.#session);
  }

  /**
   * Detaches from the session so that it can be resumed here or in another process. No new work starts; running work is
   * cancelled, and its results are persisted if they arrive within `graceMs`.
   */
  async detach({ graceMs = 2_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#leaving.abort();
    if (this.#performer.isBusy) {
      const inTime = new AbortController();
      const late = this.#clock.sleepUntil(this.#clock.now() + graceMs, inTime.signal);
      await Promise.race([this.#performer.stop(), late]);
      inTime.abort();
    }
    this.#closed = true;
    this.#left.resolve();
  }

  /**
   * Sends a user message; resolves, once it is persisted, to whether the state machine accepted it. If the agent is
   * busy, the message becomes steering: work continues, and the next model request includes it.
   */
  sendMessage(text: string): Promise<boolean> {
    return this.post({ type: this.#isIdle() ? 'user-message' : 'steered', text });
  }

  /**
   * Queues an event; resolves, once it is persisted and its actions have started, to whether the state machine accepted
   * it.
   */
  post(event: UnstampedEvent): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#queue.push({ event, done: resolve });
    void this.#drain();
    return promise;
  }

  /** Resolves when the session waits for the user or has ended, or when the agent was detached. */
  async waitUntilIdle(): Promise<Session> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#isIdle()) resolve();
    else this.#idlers.push(resolve);
    await Promise.race([promise, this.#ended.promise, this.#left.promise]);
    return this.#session;
  }

  async #prepare(): Promise<void> {
    await this.#store(this.#unstored);
    await this.#performer.tidy(this.#session);
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    if (this.#preparing !== null) await this.#preparing;
    while (this.#queue.length > 0) {
      const group = this.#take();
      const isKept = await this.#keep(group);
      for (const each of group) {
        if (isKept) await this.#act(each);
        each.done(isKept && each.result.session !== each.before);
      }
    }
    this.#draining = false;
    if (this.#isIdle()) for (const resolve of this.#idlers.splice(0)) resolve();
  }

  /**
   * Reduces the next event, and the following ones as long as each may start its actions before it is persisted: a
   * reply that requests calls is followed at once by their starts. Synchronous, so no other event can interleave.
   */
  #take(): readonly PendingStep[] {
    const group: PendingStep[] = [];
    let before = this.#session;
    const { togetherMax: most = defaultBatchMax } = this.#log;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const event = { ...next.event, at: this.#clock.now() } as Event;
      const result = step(before, event);
      const mayWait = group.length + 1 < most && !isTerminalSession(result.session);
      const hasBegun = mayWait && this.#performer.mayBegin(result.actions);
      group.push({ event, before, result, hasBegun, done: next.done });
      if (!hasBegun) break;
      this.#perform(result.actions, result.session);
      before = result.session;
    }
    return group;
  }

  /** Applies the consequences of a persisted event. */
  async #act({ event, before, result, hasBegun }: PendingStep): Promise<void> {
    this.#session = result.session;
    const { memory } = result.session;
    if (memory !== null && memory !== before.memory) this.#keeper.sync(memory);
    this.#tell({ ...result, event });
    // Await storage before the next event: then at most the entries of the last event can be missing after a crash.
    for (const action of result.actions) if (action.type === 'store') await this.#store(action.entries);
    if (result.session.turn !== before.turn) this.#performer.moved(before.turn, result.session.turn);
    if (!hasBegun) this.#perform(result.actions, result.session);
    if (isTerminalSession(this.#session)) this.#end();
  }

  /**
   * Persists all of the events or none. While the log is unavailable it retries and blocks later events, because those
   * must not precede these in the log.
   */
  async #keep(group: readonly PendingStep[]): Promise<boolean> {
    if (this.#closed) return false;
    const events = group.flatMap(({ event, before, result }) =>
      result.session.seq > before.seq ? [event] : [],
    );
    const after = group.at(-1)?.result.session;
    if (events.length === 0 || after === undefined) return true;
    const { first, max } = outageRetryMs;
    for (let waitMs: number = first; ; waitMs = Math.min(waitMs * 2, max)) {
      try {
        await this.#log.append(events, after);
        if (waitMs > first) this.#onTrouble(null);
        return true;
      } catch (error) {
        const kind = getOutageKind(error);
        if (kind === null) this.#break(error);
        if (this.#leaving.signal.aborted) this.#closed = true;
        if (kind === null || this.#closed) return false;
        this.#onTrouble({ kind, message: getErrorMessage(error) });
      }
      await this.#clock.sleepUntil(this.#clock.now() + waitMs, this.#leaving.signal);
    }
  }

  async #store(entries: readonly StoredEntry[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#keeper.store(entries);
    } catch (error) {
      // Not fatal: the log contains the entries; only lookups in storage miss them.
      process.emitWarning(`Storage could not be written: ${getErrorMessage(error)}`, 'PawlWarning');
    }
  }

  #tell(seen: StepResult): void {
    try {
      this.#observe(seen);
    } catch (error) {
      process.emitWarning(`An observer threw: ${getErrorMessage(error)}`, 'PawlWarning');
    }
  }

  #perform(actions: readonly Action[], session: Session): void {
    if (this.#closed || this.#leaving.signal.aborted) return;
    for (const action of actions) this.#performer.perform(action, session);
  }

  #isIdle(): boolean {
    return this.#session.turn.status === 'waitingForUser' && !this.#draining;
  }

  #end(): void {
    void this.#performer.stop();
    this.#ended.resolve(this.#session);
  }

  /** Fail closed: if an event cannot be persisted, none of its actions run. */
  #break(error: unknown): void {
    this.#closed = true;
    void this.#performer.stop();
    this.#ended.reject(
      new Error(`The event log could not be written: ${getErrorMessage(error)}`, { cause: error }),
    );
  }
}

/** Outages that end on their own; the failed append persisted none of the events. */
function getOutageKind(error: unknown): StoreOutage['kind'] | null {
  if (!(error instanceof StoreError)) return null;
  return error.code === 'full' || error.code === 'busy' ? error.code : null;
}

function createDefaultSession(id: string, at: number): Session {
  return createSession({ id, at, settings: { compact: true } });
}

/** Defaults: questions are denied because there is no prompter, no hooks run, and recovery asks the model. */
const defaultDependencies: Omit<AgentDependencies, 'model' | 'tools' | 'memory' | 'page' | 'spool'> = {
  prompt: '',
  rules: () => 'allow',
  decide: () => Promise.resolve({ decision: 'deny', reason: 'nobody is there to ask' }),
  hooks: () => Promise.resolve(false),
  recover: () => Promise.resolve({ kind: 'ask-model' }),
  summaryModel: null,
  random: Math.random,
};

/** Adds the memory tools if the session has working memory. */
function createAgentDependencies(
  options: AgentOptions,
  session: Session,
  clock: RuntimeClock,
  now: () => Session,
): AgentDependencies {
  const memory = options.memory ?? createDefaultMemoryManager(session, clock);
  const tools = session.memory === null ? options.tools : [...options.tools, ...createMemoryTools(memory)];
  const spool = createMemorySpool();
  const { summaryModel = null } = options;
  const page: AgentDependencies['page'] = (_, signal) =>
    compactContext(memory, now(), summaryModel && { model: summaryModel, clock, signal });
  return { ...defaultDependencies, spool, page, ...options, memory, tools };
}

function createDefaultMemoryManager({ memory }: Session, clock: RuntimeClock): MemoryManager {
  const held = memory ?? createMemory(memorySettings.pawl);
  return createMemoryManager({ memory: held, storage: createInMemoryStorage(), clock });
}
