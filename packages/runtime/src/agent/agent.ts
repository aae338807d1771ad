import {
  createSession,
  isTerminalSession,
  step,
  type Action,
  type Event,
  type Session,
  listPendingActions,
  type SessionStep,
} from '@pawl/core';
import { createMemory, memorySettings, type StoredEntry } from '@pawl/core/memory';
import type { Rule } from '@pawl/governor';
import { systemClock, type RuntimeClock } from '../platform/clock.ts';
import { createMemoryLog, type EventLog } from '../store/store-event-log.ts';
import { createMemorySpool } from '../store/spool.ts';
import { createInMemoryStorage } from '../memory/in-memory-storage.ts';
import { createMemoryManager, type MemoryManager } from '../memory/memory-manager.ts';
import { createMemoryTools } from '../memory/memory-tools.ts';
import { ActionRunner } from './action-runner.ts';
import { StoreError } from '../store/store-error.ts';
import { type AgentDependencies } from './agent-dependencies.ts';
import { getErrorMessage } from '../text/one-line.ts';
import type { UnstampedEvent } from '../ports/agent-ports.ts';

/** Passed to the observer after each event: the event and the result of `step`. */
export type StepResult = SessionStep & { readonly event: Event };

export type AgentOptions = Pick<AgentDependencies, 'model' | 'tools'> &
  Partial<AgentDependencies> & {
    /** Session to continue; defaults to a new session with the default profile. */
    readonly session?: Session;
    readonly id?: string;
    readonly log?: EventLog;
    /**
     * Governor rules that are judged after those of the session's preset. The log does not contain them: pass the same
     * rules to `resumeSession` and to the agent that resumes the session.
     */
    readonly ownRules?: readonly Rule[] | undefined;
    readonly clock?: RuntimeClock;
    readonly observe?: (result: StepResult) => void;
    /** Called when the log is full or busy, and with null once writes succeed again. */
    readonly onStoreOutage?: (outage: StoreOutage | null) => void;
    /** Entries that the session's last event moved to storage; `resume` writes them again in case they are missing. */
    readonly unsavedEntries?: readonly StoredEntry[];
  };

/** Why the log currently rejects writes. The agent retries and continues on its own once the outage is over. */
export type StoreOutage = { readonly kind: 'full' | 'busy'; readonly message: string };

type QueuedEvent = { readonly event: UnstampedEvent; readonly done: (accepted: boolean) => void };

/** An event that was reduced but is not persisted yet. Observers have not seen it. */
type PendingStep = {
  readonly event: Event;
  readonly before: Session;
  readonly result: SessionStep;
  readonly hasStarted: boolean;
  readonly done: QueuedEvent['done'];
};

/** `isResting` tells which other states count as idle once no work is running. */
type IdleWaiter = { readonly isResting: (session: Session) => boolean; readonly resolve: () => void };

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
  readonly #ownRules: readonly Rule[] | undefined;
  readonly #observe: (result: StepResult) => void;
  readonly #runner: ActionRunner;
  readonly #memoryManager: MemoryManager;
  readonly #queue: QueuedEvent[] = [];
  readonly #ended = Promise.withResolvers<Session>();
  #idleWaiters: readonly IdleWaiter[] = [];
  readonly #onStoreOutage: (outage: StoreOutage | null) => void;
  readonly #unsavedEntries: readonly StoredEntry[];
  readonly #detaching = new AbortController();
  readonly #detached = Promise.withResolvers<void>();
  #session: Session;
  #draining = false;
  /** Set once `detach` was called; further calls wait for the same end. */
  #detachment: Promise<void> | null = null;
  /** Set while `resume` prepares the session. Events wait for it, because a call started now would look interrupted. */
  #preparing: Promise<void> | null = null;
  /** Events are no longer accepted: the log cannot be written, or the agent was detached from the session. */
  #closed = false;

  constructor(options: AgentOptions) {
    const { id = crypto.randomUUID(), clock = systemClock, log = createMemoryLog() } = options;
    this.#clock = clock;
    this.#log = log;
    this.#ownRules = options.ownRules;
    this.#observe = options.observe ?? (() => undefined);
    this.#onStoreOutage = options.onStoreOutage ?? (() => undefined);
    this.#unsavedEntries = options.unsavedEntries ?? [];
    this.#session = options.session ?? createDefaultSession(id, clock.now());
    const dependencies = createAgentDependencies(options, this.#session, clock, () => this.#session);
    this.#memoryManager = dependencies.memory;
    this.#runner = new ActionRunner({
      dependencies,
      clock,
      post: (event) => this.post(event),
      canPersist: () => !this.#closed,
      onTaskEnd: () => this.#notifyIdleWaiters(),
    });
    // Avoid an unhandled rejection when nothing awaits "ended".
    this.#ended.promise.catch(() => undefined);
  }

  get session(): Session {
    return this.#session;
  }

  /**
   * Resolves when the session has stopped for the first time; rejects if the event log cannot be written. A message may
   * continue the session after that; see `acceptsUserMessage`.
   */
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
    await this.#runner.reconcile(this.#session);
    this.#runActions(listPendingActions(this.#session), this.#session);
  }

  /**
   * Detaches from the session so that it can be resumed here or in another process. No new work starts; running work is
   * cancelled, and its results are persisted if they arrive within `graceMs`.
   */
  detach({ graceMs = 2_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#detachment ??= this.#detach(graceMs));
  }

  async #detach(graceMs: number): Promise<void> {
    this.#detaching.abort();
    if (this.#runner.isBusy) {
      const finished = new AbortController();
      const timeout = this.#clock.sleepUntil(this.#clock.now() + graceMs, finished.signal);
      await Promise.race([this.#runner.stop(), timeout]);
      finished.abort();
    }
    this.#closed = true;
    this.#detached.resolve();
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
    return event.type === 'cancel-requested' && event.partial === undefined
      ? this.#cancel(event)
      : this.#enqueue(event);
  }

  async #cancel(event: UnstampedEvent & { readonly type: 'cancel-requested' }): Promise<boolean> {
    const partial = await this.#runner.collectPartialOutput(this.#session);
    return this.#enqueue(partial === null ? event : { ...event, partial });
  }

  #enqueue(event: UnstampedEvent): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#queue.push({ event, done: resolve });
    void this.#drain();
    return promise;
  }

  /**
   * Resolves when the session waits for the user or has stopped, or when the agent was detached; also when the session
   * satisfies `isResting` and no work is running, for a caller that does not wait while, for example, it is paused.
   */
  async waitUntilIdle(isResting: (session: Session) => boolean = () => false): Promise<Session> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleWaiters = [...this.#idleWaiters, { isResting, resolve }];
    this.#notifyIdleWaiters();
    // A log that cannot be written rejects.
    const failed = this.#ended.promise.then(() => promise);
    await Promise.race([promise, failed, this.#detached.promise]);
    return this.#session;
  }

  async #prepare(): Promise<void> {
    await this.#storeEntries(this.#unsavedEntries);
    await this.#runner.cleanSpool(this.#session);
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    if (this.#preparing !== null) await this.#preparing;
    while (this.#queue.length > 0) {
      const batch = this.#reduceBatch();
      const isPersisted = await this.#persist(batch);
      for (const each of batch) {
        if (isPersisted) await this.#applyStep(each);
        each.done(isPersisted && each.result.session !== each.before);
      }
    }
    this.#draining = false;
    this.#notifyIdleWaiters();
  }

  /**
   * Reduces the next event, and the following ones as long as each may start its actions before it is persisted: a
   * reply that requests calls is followed at once by their starts. Synchronous, so no other event can interleave.
   */
  #reduceBatch(): readonly PendingStep[] {
    const batch: PendingStep[] = [];
    let before = this.#session;
    const { togetherMax: batchMax = defaultBatchMax } = this.#log;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const event = { ...next.event, at: this.#clock.now() } as Event;
      const result = step(before, event, this.#ownRules);
      const mayWait = batch.length + 1 < batchMax && !isTerminalSession(result.session);
      const hasStarted = mayWait && this.#runner.mayStartEarly(result.actions);
      batch.push({ event, before, result, hasStarted, done: next.done });
      if (!hasStarted) break;
      this.#runActions(result.actions, result.session);
      before = result.session;
    }
    return batch;
  }

  /** Applies the consequences of a persisted event. */
  async #applyStep({ event, before, result, hasStarted }: PendingStep): Promise<void> {
    this.#session = result.session;
    if (event.type === 'text-delta' && result.session.turn.status === 'callingModel')
      this.#runner.noteText(result.session.turn.request, event.text);
    const { memory } = result.session;
    if (memory !== null && memory !== before.memory) this.#memoryManager.sync(memory);
    this.#notifyObserver({ ...result, event });
    // Await storage before the next event: then at most the entries of the last event can be missing after a crash.
    for (const action of result.actions)
      if (action.type === 'store') await this.#storeEntries(action.entries);
    if (result.session.turn !== before.turn)
      this.#runner.cancelObsoleteTasks(before.turn, result.session.turn);
    if (!hasStarted) this.#runActions(result.actions, result.session);
    if (isTerminalSession(this.#session)) this.#end();
  }

  /**
   * Persists all of the events or none. While the log is unavailable it retries and blocks later events, because those
   * must not precede these in the log.
   */
  async #persist(batch: readonly PendingStep[]): Promise<boolean> {
    if (this.#closed) return false;
    const events = batch.flatMap(({ event, before, result }) =>
      result.session.seq > before.seq ? [event] : [],
    );
    const after = batch.at(-1)?.result.session;
    if (events.length === 0 || after === undefined) return true;
    const { first, max } = outageRetryMs;
    for (let waitMs: number = first; ; waitMs = Math.min(waitMs * 2, max)) {
      try {
        await this.#log.append(events, after);
        if (waitMs > first) this.#onStoreOutage(null);
        return true;
      } catch (error) {
        const kind = getOutageKind(error);
        if (kind === null) this.#fail(error);
        if (this.#detaching.signal.aborted) this.#closed = true;
        if (kind === null || this.#closed) return false;
        this.#onStoreOutage({ kind, message: getErrorMessage(error) });
      }
      await this.#clock.sleepUntil(this.#clock.now() + waitMs, this.#detaching.signal);
    }
  }

  async #storeEntries(entries: readonly StoredEntry[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#memoryManager.store(entries);
    } catch (error) {
      // Not fatal: the log contains the entries; only lookups in storage miss them.
      process.emitWarning(`Storage could not be written: ${getErrorMessage(error)}`, 'PawlWarning');
    }
  }

  #notifyObserver(result: StepResult): void {
    try {
      this.#observe(result);
    } catch (error) {
      process.emitWarning(`An observer threw: ${getErrorMessage(error)}`, 'PawlWarning');
    }
  }

  #runActions(actions: readonly Action[], session: Session): void {
    if (this.#closed || this.#detaching.signal.aborted) return;
    for (const action of actions) this.#runner.perform(action, session);
  }

  #isIdle(): boolean {
    const isResting = this.#session.turn.status === 'waitingForUser' || isTerminalSession(this.#session);
    return isResting && !this.#draining;
  }

  #notifyIdleWaiters(): void {
    const isIdle = this.#isIdle();
    const isAtRest = !this.#draining && this.#preparing === null && !this.#runner.isBusy;
    // This runs after every event.
    if (!isIdle && !isAtRest) return;
    this.#idleWaiters = this.#idleWaiters.filter(({ isResting, resolve }) => {
      const isDone = isIdle || isResting(this.#session);
      if (isDone) resolve();
      return !isDone;
    });
  }

  #end(): void {
    void this.#runner.stop();
    this.#ended.resolve(this.#session);
  }

  /** Fail closed: if an event cannot be persisted, none of its actions run. */
  #fail(error: unknown): void {
    this.#closed = true;
    void this.#runner.stop();
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
  decide: () => Promise.resolve({ decision: 'deny', reason: 'no user is available to ask' }),
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
  getSession: () => Session,
): AgentDependencies {
  const memory = options.memory ?? createDefaultMemoryManager(session, clock);
  const tools = session.memory === null ? options.tools : [...options.tools, ...createMemoryTools(memory)];
  const spool = createMemorySpool();
  const { summaryModel = null } = options;
  const page: AgentDependencies['page'] = async (_, signal) => {
    const { compactContext } = await import('../memory/compact-context.ts');
    return compactContext(memory, getSession(), summaryModel && { model: summaryModel, clock, signal });
  };
  return { ...defaultDependencies, spool, page, ...options, memory, tools };
}

function createDefaultMemoryManager({ memory }: Session, clock: RuntimeClock): MemoryManager {
  const workingMemory = memory ?? createMemory(memorySettings.pawl);
  return createMemoryManager({ memory: workingMemory, storage: createInMemoryStorage(), clock });
}
