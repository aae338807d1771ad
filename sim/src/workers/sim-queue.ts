import type { WakeJob } from '../../../packages/worker/src/tenant-queues.ts';
import type { SimWorld } from '../sim-world.ts';

/** A job with the semantics of the real queue: one per session at a time, and a lock for its holder. */
export type SimJob = {
  readonly number: number;
  readonly wake: WakeJob;
  state: 'waiting' | 'active';
  notBefore: number;
  token: string | null;
  lockedUntil: number;
  /** A wake-up that arrived while the job was active; it becomes the next job. */
  next: WakeJob | null;
  /** Tokens whose lock the queue lost; their holders cannot know. */
  readonly lostTokens: Set<string>;
};

/** Delay of a late job. */
const lateJobMs = 20_000;

/** The queue shared by all workers. Operations are instantaneous; the ports add the delays. */
export class SimQueue {
  readonly #world: SimWorld;
  readonly #jobs = new Map<number, SimJob>();
  readonly #onReady: () => void;
  #count = 0;

  /** `onReady` is called when a job may be available. */
  constructor(world: SimWorld, onReady: () => void) {
    this.#world = world;
    this.#onReady = onReady;
  }

  add(wake: WakeJob, delayMs = 0): void {
    const { faults } = this.#world;
    if (faults.shouldFail('job-lost', 'add')) return;
    const existing = this.#findJob(wake.session);
    const isDuplicate = faults.shouldFail('job-twice', 'add');
    if (existing !== undefined && !isDuplicate) {
      if (existing.state === 'active') existing.next = wake;
      return;
    }
    const late = faults.shouldFail('job-late', 'add') ? lateJobMs : 0;
    this.#enqueue(wake, delayMs + late);
  }

  take(token: string, leaseMs: number): SimJob | null {
    const { scheduler, faults, choices } = this.#world;
    const { now } = scheduler;
    const ready = [...this.#jobs.values()].filter(
      ({ state, notBefore }) => state === 'waiting' && notBefore <= now,
    );
    const isOutOfOrder = ready.length > 1 && faults.shouldFail('job-out-of-order', 'take');
    const index = isOutOfOrder ? choices.choose('which job', (random) => random.below(ready.length)) : 0;
    const job = ready[index % Math.max(1, ready.length)];
    if (job === undefined) return null;
    job.state = 'active';
    job.token = token;
    job.lockedUntil = now + leaseMs;
    if (ready.length > 1) this.#onReady();
    return job;
  }

  extend(job: SimJob, token: string, leaseMs: number): boolean {
    if (!this.isHeld(job, token)) return false;
    job.lockedUntil = this.#world.scheduler.now + leaseMs;
    return true;
  }

  /** Whether the queue considers the job locked by this token. */
  isHeld(job: SimJob, token: string): boolean {
    const { now } = this.#world.scheduler;
    return this.#jobs.get(job.number) === job && job.token === token && job.lockedUntil > now;
  }

  /** Removes a completed or failed job, which the queue treats alike. Calls from a former holder are ignored. */
  finish(job: SimJob, token: string): void {
    if (!this.isHeld(job, token)) return;
    this.#jobs.delete(job.number);
    if (job.next !== null) this.#enqueue(job.next, 0);
  }

  release(job: SimJob, token: string): void {
    if (!this.isHeld(job, token)) throw new Error(`Missing lock for job ${job.number}`);
    this.#release(job);
  }

  /** Makes jobs with expired locks available again. */
  releaseStalled(): void {
    const { now } = this.#world.scheduler;
    for (const job of this.#jobs.values())
      if (job.state === 'active' && job.lockedUntil <= now) this.#release(job);
  }

  /** Drops the lock of an active job; returns false if there is none. */
  forgetLock(): boolean {
    const active = [...this.#jobs.values()].find(({ state }) => state === 'active');
    if (active === undefined) return false;
    active.lockedUntil = this.#world.scheduler.now;
    if (active.token !== null) active.lostTokens.add(active.token);
    return true;
  }

  has(session: string): boolean {
    return this.#findJob(session) !== undefined;
  }

  #findJob(session: string): SimJob | undefined {
    return [...this.#jobs.values()].find(({ wake }) => wake.session === session);
  }

  #release(job: SimJob): void {
    job.state = 'waiting';
    job.token = null;
    this.#onReady();
  }

  #enqueue(wake: WakeJob, inMs: number): void {
    const { scheduler } = this.#world;
    this.#count += 1;
    const job: SimJob = {
      number: this.#count,
      wake,
      state: 'waiting',
      notBefore: scheduler.now + inMs,
      token: null,
      lockedUntil: 0,
      next: null,
      lostTokens: new Set(),
    };
    this.#jobs.set(job.number, job);
    const run = (): void => this.#onReady();
    scheduler.add({ owner: 'queue', lane: 'queue', name: `job ${wake.session} is ready`, inMs, run });
  }
}
