import {
  createSession,
  emptyMemory,
  isTerminal,
  memorySettings,
  pendingActions,
  step,
  type Action,
  type Event,
  type Session,
  type Step,
  type StoredEntry,
} from '@pawl/core';
import { systemClock, type Clock } from './clock.ts';
import { createMemoryLog, type EventLog } from './event-log.ts';
import { createMemorySpool } from './executions/spool.ts';
import { createInMemoryStorage } from './memory/in-memory-storage.ts';
import { makeRoom } from './memory/make-room.ts';
import { createMemoryKeeper, type MemoryKeeper } from './memory/memory-keeper.ts';
import { memoryTools } from './memory/memory-tools.ts';
import { Performer } from './performer.ts';
import { StoreError } from './store/store-error.ts';
import { messageOf, type Unstamped, type World } from './work.ts';

/** What an observer is told after each event: the event, and all that `step` made of it. */
export type Seen = Step & { readonly event: Event };

export type AgentOptions = Pick<World, 'model' | 'tools'> &
  Partial<World> & {
    /** A session to go on with; without one, a new session of the default profile. */
    readonly session?: Session;
    readonly id?: string;
    readonly log?: EventLog;
    readonly clock?: Clock;
    readonly observe?: (seen: Seen) => void;
    /** Told when the log finds no room or is kept locked, and with null when it is over. */
    readonly onTrouble?: (trouble: Trouble | null) => void;
    /** What the last event of the session put into storage; `resume` sees to it that it is there. */
    readonly unstored?: readonly StoredEntry[];
  };

/** Why nothing goes on at the moment. The agent goes on by itself when it is over. */
export type Trouble = { readonly kind: 'full' | 'busy'; readonly message: string };

type Posted = { readonly event: Unstamped; readonly done: (taken: boolean) => void };

/** An event that the machine has seen and that is not kept yet. Nobody has been told, and all that has begun is to wait. */
type Taken = {
  readonly event: Event;
  readonly before: Session;
  readonly result: Step;
  readonly hasBegun: boolean;
  readonly done: Posted['done'];
};

/** How many events are kept together at most, where the log does not say. */
const togetherMax = 100;

/** How long to wait before the log is tried again: at first, and at most. */
const troubleWaitMs = { first: 200, max: 5_000 } as const;

/**
 * The one loop: take an event, step, keep it, tell whoever watches, do what is to be done.
 * Everything that happens comes in through `post`, one event at a time and in order. What a reply asks for and the starts of
 * its calls are kept in one go; nobody sees anything of them before.
 */
export class Agent {
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #observe: (seen: Seen) => void;
  readonly #performer: Performer;
  readonly #keeper: MemoryKeeper;
  readonly #queue: Posted[] = [];
  readonly #ended = Promise.withResolvers<Session>();
  readonly #idlers: (() => void)[] = [];
  readonly #onTrouble: (trouble: Trouble | null) => void;
  readonly #unstored: readonly StoredEntry[];
  readonly #leaving = new AbortController();
  readonly #left = Promise.withResolvers<void>();
  #session: Session;
  #draining = false;
  /** Until it is known what was left running, nothing is taken: what begins now would be taken for that. */
  #preparing: Promise<void> | null = null;
  /** Nothing is taken any more: the log cannot be written, or the session was let go of. */
  #closed = false;

  constructor(options: AgentOptions) {
    const { id = crypto.randomUUID(), clock = systemClock, log = createMemoryLog() } = options;
    this.#clock = clock;
    this.#log = log;
    this.#observe = options.observe ?? (() => undefined);
    this.#onTrouble = options.onTrouble ?? (() => undefined);
    this.#unstored = options.unstored ?? [];
    this.#session = options.session ?? newSession(id, clock.now());
    const world = worldOf(options, this.#session, clock, () => this.#session);
    this.#keeper = world.memory;
    this.#performer = new Performer({
      world,
      clock,
      post: (event) => this.post(event),
      isKept: () => !this.#closed,
    });
    // Whoever does not wait for the end must not be stopped by how it ended.
    this.#ended.promise.catch(() => undefined);
  }

  get session(): Session {
    return this.#session;
  }

  /** Resolves when the session has ended, rejects when its log could not be written. */
  get ended(): Promise<Session> {
    return this.#ended.promise;
  }

  /**
   * Takes up the work a session was left with. What was running is settled first: nothing is done twice that must not be, and
   * nothing is forgotten.
   */
  async resume(): Promise<void> {
    this.#preparing = this.#prepare();
    await this.#preparing;
    this.#preparing = null;
    await this.#performer.settle(this.#session);
    this.#perform(pendingActions(this.#session), this.#session);
  }

  /**
   * Lets go of the session where it is, so that it can be taken up again, here or elsewhere. Nothing new is begun; what
   * runs is called off, and how it ended is kept if it ends within the time given.
   */
  async leave({ graceMs = 2_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#leaving.abort();
    if (this.#performer.isBusy) {
      const inTime = new AbortController();
      const late = this.#clock.until(this.#clock.now() + graceMs, inTime.signal);
      await Promise.race([this.#performer.stop(), late]);
      inTime.abort();
    }
    this.#closed = true;
    this.#left.resolve();
  }

  /**
   * Says something to the agent; resolves, once it is kept, to whether the machine took it. While the agent is busy its work
   * goes on, and the model hears what was said when it is asked next.
   */
  say(text: string): Promise<boolean> {
    return this.post({ type: this.#isIdle() ? 'user-message' : 'steered', text });
  }

  /** Hands an event to the machine; resolves, once it is kept and acted on, to whether the machine took it. */
  post(event: Unstamped): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#queue.push({ event, done: resolve });
    void this.#drain();
    return promise;
  }

  /** Resolves when there is nothing left to do but wait for the user, or when the session has ended. */
  async idle(): Promise<Session> {
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
   * Takes the next event, and those after it for as long as nothing must be done before they are kept. What asks for calls
   * is followed at once by their starts. Nothing is waited for here, so nothing can come in between.
   */
  #take(): readonly Taken[] {
    const group: Taken[] = [];
    let before = this.#session;
    const { togetherMax: most = togetherMax } = this.#log;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const event = { ...next.event, at: this.#clock.now() } as Event;
      const result = step(before, event);
      const mayWait = group.length + 1 < most && !isTerminal(result.session);
      const hasBegun = mayWait && this.#performer.mayBegin(result.actions);
      group.push({ event, before, result, hasBegun, done: next.done });
      if (!hasBegun) break;
      this.#perform(result.actions, result.session);
      before = result.session;
    }
    return group;
  }

  /** What follows from an event that is kept. */
  async #act({ event, before, result, hasBegun }: Taken): Promise<void> {
    this.#session = result.session;
    const { memory } = result.session;
    if (memory !== null && memory !== before.memory) this.#keeper.sync(memory);
    this.#tell({ ...result, event });
    // Before the next event: so of all that ever went into storage at most what the last one put there can be missing.
    for (const action of result.actions) if (action.type === 'store') await this.#store(action.entries);
    if (result.session.turn !== before.turn) this.#performer.moved(before.turn, result.session.turn);
    if (!hasBegun) this.#perform(result.actions, result.session);
    if (isTerminal(this.#session)) this.#end();
  }

  /**
   * Keeps events, all of them or none. As long as there is no room for them nothing else is kept either, since what came
   * later would otherwise stand where these belong.
   */
  async #keep(group: readonly Taken[]): Promise<boolean> {
    if (this.#closed) return false;
    const events = group.flatMap(({ event, before, result }) =>
      result.session.seq > before.seq ? [event] : [],
    );
    const after = group.at(-1)?.result.session;
    if (events.length === 0 || after === undefined) return true;
    const { first, max } = troubleWaitMs;
    for (let waitMs: number = first; ; waitMs = Math.min(waitMs * 2, max)) {
      try {
        await this.#log.append(events, after);
        if (waitMs > first) this.#onTrouble(null);
        return true;
      } catch (error) {
        const kind = passingTrouble(error);
        if (kind === null) this.#break(error);
        if (this.#leaving.signal.aborted) this.#closed = true;
        if (kind === null || this.#closed) return false;
        this.#onTrouble({ kind, message: messageOf(error) });
      }
      await this.#clock.until(this.#clock.now() + waitMs, this.#leaving.signal);
    }
  }

  async #store(entries: readonly StoredEntry[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#keeper.store(entries);
    } catch (error) {
      // The log has it all; what cannot be looked up is no reason to stop.
      process.emitWarning(`Storage could not be written: ${messageOf(error)}`, 'PawlWarning');
    }
  }

  #tell(seen: Seen): void {
    try {
      this.#observe(seen);
    } catch (error) {
      process.emitWarning(`An observer threw: ${messageOf(error)}`, 'PawlWarning');
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

  /** What cannot be kept must not be done: the session stops where its log stops. */
  #break(error: unknown): void {
    this.#closed = true;
    void this.#performer.stop();
    this.#ended.reject(
      new Error(`The event log could not be written: ${messageOf(error)}`, { cause: error }),
    );
  }
}

/** What is over by itself some time, and has kept nothing of the events. */
function passingTrouble(error: unknown): Trouble['kind'] | null {
  if (!(error instanceof StoreError)) return null;
  return error.code === 'full' || error.code === 'busy' ? error.code : null;
}

function newSession(id: string, at: number): Session {
  return createSession({ id, at, settings: { compact: true } });
}

/** Nobody is there to ask, nothing runs after tools, and the way out of a stuck state is to tell the model. */
const defaultWorld: Omit<World, 'model' | 'tools' | 'memory' | 'page' | 'spool'> = {
  prompt: '',
  rules: () => 'allow',
  decide: () => Promise.resolve({ decision: 'deny', reason: 'nobody is there to ask' }),
  hooks: () => Promise.resolve(false),
  recover: () => Promise.resolve({ kind: 'ask-model' }),
  summaryModel: null,
  random: Math.random,
};

/** Where there is a working memory, the tools that work on it are there as well. */
function worldOf(options: AgentOptions, session: Session, clock: Clock, now: () => Session): World {
  const memory = options.memory ?? keeperFor(session, clock);
  const tools = session.memory === null ? options.tools : [...options.tools, ...memoryTools(memory)];
  const spool = createMemorySpool();
  const { summaryModel = null } = options;
  const page: World['page'] = (_, signal) =>
    makeRoom(memory, now(), summaryModel && { model: summaryModel, clock, signal });
  return { ...defaultWorld, spool, page, ...options, memory, tools };
}

function keeperFor({ memory }: Session, clock: Clock): MemoryKeeper {
  const held = memory ?? emptyMemory(memorySettings.pawl);
  return createMemoryKeeper({ memory: held, storage: createInMemoryStorage(), clock });
}
