import type { Wake } from '../../../packages/worker/src/queues.ts';
import type { World } from '../world.ts';

/** A job, by the rules of the real queue: one for each session at a time, and a lock for whoever has it. */
export type SimJob = {
  readonly number: number;
  readonly wake: Wake;
  state: 'waiting' | 'active';
  notBefore: number;
  token: string | null;
  lockedUntil: number;
  /** What was said while somebody had it: the next job. */
  next: Wake | null;
  /** The holders that the queue has forgotten: they cannot know. */
  readonly forgotten: Set<string>;
};

/** How late a late job is. */
const lateMs = 20_000;

/** The queue that all workers share. Here everything happens at once; the ports bring the delays. */
export class SimQueue {
  readonly #world: World;
  readonly #jobs = new Map<number, SimJob>();
  readonly #onReady: () => void;
  #count = 0;

  /** `onReady` is told when there may be something to take. */
  constructor(world: World, onReady: () => void) {
    this.#world = world;
    this.#onReady = onReady;
  }

  add(wake: Wake, delayMs = 0): void {
    const { faults } = this.#world;
    if (faults.strikes('job-lost', 'add')) return;
    const known = this.#jobOf(wake.session);
    const isTwice = faults.strikes('job-twice', 'add');
    if (known !== undefined && !isTwice) {
      if (known.state === 'active') known.next = wake;
      return;
    }
    const late = faults.strikes('job-late', 'add') ? lateMs : 0;
    this.#put(wake, delayMs + late);
  }

  take(token: string, leaseMs: number): SimJob | null {
    const { scheduler, faults, choices } = this.#world;
    const { now } = scheduler;
    const ready = [...this.#jobs.values()].filter(
      ({ state, notBefore }) => state === 'waiting' && notBefore <= now,
    );
    const isOdd = ready.length > 1 && faults.strikes('job-out-of-order', 'take');
    const index = isOdd ? choices.choose('which job', (random) => random.below(ready.length)) : 0;
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

  /** Whether this job is with whoever has this token, by the queue. */
  isHeld(job: SimJob, token: string): boolean {
    const { now } = this.#world.scheduler;
    return this.#jobs.get(job.number) === job && job.token === token && job.lockedUntil > now;
  }

  /** Done or failed, which is the same to the queue; one who no longer holds the job is not heard. */
  finish(job: SimJob, token: string): void {
    if (!this.isHeld(job, token)) return;
    this.#jobs.delete(job.number);
    if (job.next !== null) this.#put(job.next, 0);
  }

  giveBack(job: SimJob, token: string): void {
    if (!this.isHeld(job, token)) throw new Error(`Missing lock for job ${job.number}`);
    this.#release(job);
  }

  /** Whatever nobody holds any more is there for anybody. */
  releaseStalled(): void {
    const { now } = this.#world.scheduler;
    for (const job of this.#jobs.values())
      if (job.state === 'active' && job.lockedUntil <= now) this.#release(job);
  }

  /** The queue forgets who has some job; false if nobody has one. */
  forgetLock(): boolean {
    const held = [...this.#jobs.values()].find(({ state }) => state === 'active');
    if (held === undefined) return false;
    held.lockedUntil = this.#world.scheduler.now;
    if (held.token !== null) held.forgotten.add(held.token);
    return true;
  }

  has(session: string): boolean {
    return this.#jobOf(session) !== undefined;
  }

  #jobOf(session: string): SimJob | undefined {
    return [...this.#jobs.values()].find(({ wake }) => wake.session === session);
  }

  #release(job: SimJob): void {
    job.state = 'waiting';
    job.token = null;
    this.#onReady();
  }

  #put(wake: Wake, inMs: number): void {
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
      forgotten: new Set(),
    };
    this.#jobs.set(job.number, job);
    const happen = (): void => this.#onReady();
    scheduler.add({ owner: 'queue', lane: 'queue', name: `job ${wake.session} is ready`, inMs, happen });
  }
}
