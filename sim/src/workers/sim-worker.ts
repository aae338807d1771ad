import { StoreError, type Store } from '@pawl/runtime';
import { carryOut, type JobReport } from '../../../packages/worker/src/carry-out.ts';
import type { Outfit } from '../../../packages/worker/src/outfit.ts';
import type { Stopwatch } from '../../../packages/worker/src/stopwatch.ts';
import { wakeIfForgotten, type Look } from '../../../packages/worker/src/sweep.ts';
import { permissionIn } from '../drive.ts';
import { plannedSession, sessionId, sessionNumbers } from '../plan.ts';
import { delay, hop } from '../port.ts';
import { clockOf } from '../sim-clock.ts';
import { modelOf } from '../sim-model.ts';
import { spoolOf } from '../sim-spool.ts';
import { storeOf } from '../sim-store.ts';
import { toolsOf } from '../sim-tools.ts';
import type { Driver, SimProcess, World } from '../world.ts';
import type { Crew, Taking } from './crew.ts';
import { careThrough, commandsThrough, redisCall } from './redis-ports.ts';
import type { SimJob } from './sim-queue.ts';

const leaseMs = 10_000;
const crashesMax = 5;
const concurrency = 2;
const pollMs = 2_000;
const graceMs = 2_000;
const stalledEveryMs = leaseMs / 4;
const sweepEveryMs = 5_000;

export type SimWorkerOptions = { readonly crash: () => void; readonly stopwatchRate: number };

/** A worker: a process that takes jobs, has the real code carry them out, and sweeps. */
export class SimWorker {
  readonly process: SimProcess;
  readonly #crew: Crew;
  readonly #crash: () => void;
  readonly #stopwatch: Stopwatch;
  readonly #draining = new AbortController();
  #active = 0;
  #taken = 0;
  #isFetching = false;

  constructor(crew: Crew, process: SimProcess, { crash, stopwatchRate }: SimWorkerOptions) {
    this.process = process;
    this.#crew = crew;
    this.#crash = crash;
    const own = stopwatchOf(crew.world, process, stopwatchRate);
    this.#stopwatch = crew.parts.stopwatch(own, process, crew.world);
    void this.#everySo('stalled', stalledEveryMs, async () => crew.queue.releaseStalled());
    void this.#everySo('sweep', sweepEveryMs, () => this.#sweep());
    this.fetch();
  }

  /** There may be something to take. */
  fetch(): void {
    const { world, queue } = this.#crew;
    if (this.#isFetching || !this.process.alive || this.process.leaving || this.#active >= concurrency)
      return;
    this.#isFetching = true;
    void (async () => {
      await this.#hop('fetch', delay(world, 'queue'));
      this.#isFetching = false;
      if (this.process.leaving) return;
      this.#taken += 1;
      const token = `${this.process.name}#${this.#taken}`;
      const job = queue.take(token, leaseMs);
      if (job === null) return;
      this.#active += 1;
      this.fetch();
      // It is taken when the queue says so, and that takes time to be heard.
      await this.#hop('job', delay(world, 'queue'));
      await this.#carryOut(job, token);
      this.#active -= 1;
      this.fetch();
    })();
  }

  /** It stops for longer than its lease, and then goes on as if nothing had happened. */
  stop(): void {
    const { world, counts } = this.#crew;
    counts.stops += 1;
    world.scheduler.hold(this.process.name, world.scheduler.now + leaseMs * 1.5);
  }

  /** Takes up nothing more, and resolves when it has let go of everything. */
  async leave(): Promise<void> {
    this.process.leaving = true;
    this.#draining.abort();
    while (this.#active > 0) await this.#hop('leaving', 100);
  }

  async #carryOut(job: SimJob, token: string): Promise<void> {
    const { world, queue, parts, care } = this.#crew;
    const { name } = this.process;
    const { session } = job.wake;
    const driver: Driver = {
      name: `${token}/${session}`,
      process: this.process,
      session,
      agent: null,
      recovering: false,
      gone: false,
    };
    const store = parts.store(storeOf(world, driver), world);
    const taking = this.#noting(driver);
    let isGivenBack = false;
    try {
      await carryOut(
        {
          wake: job.wake,
          extend: parts.extend(() =>
            redisCall(world, name, 'extend', async () => queue.extend(job, token, leaseMs)),
          ),
          giveBack: () =>
            redisCall(world, name, 'give back', async () => {
              queue.giveBack(job, token);
              isGivenBack = true;
            }),
        },
        {
          store,
          commands: parts.commands(commandsThrough(world, name, this.process.store.commands), world),
          care: taking.heard(parts.care(careThrough(world, name, taking.kept(care)))),
          owner: driver.name,
          outfitFor: async ({ session: { seq } }) => {
            world.oracle.watching(driver, seq);
            return this.#outfit(driver, { job, token });
          },
          draining: this.#draining.signal,
          graceMs,
          pollMs,
          leaseMs,
          crashesMax,
          now: () => clockOf(world, this.process).now(),
          onReport: taking.report,
          stopwatch: this.#stopwatch,
        },
      );
    } catch (error) {
      taking.failed(error);
    }
    if (!isGivenBack)
      await redisCall(world, name, 'finish', async () => queue.finish(job, token)).catch(() => undefined);
  }

  #outfit(driver: Driver, held: { readonly job: SimJob; readonly token: string }): Outfit {
    const { world, queue } = this.#crew;
    const { oracle, faults, choices } = world;
    let replies = 0;
    const marks = (): string => `${driver.name}-${(replies += 1)}`;
    const caller = { process: driver.process.name, kind: 'hooks' };
    const model = modelOf(world, driver, marks);
    return {
      clock: clockOf(world, this.process),
      model: plannedSession(world.plan, driver.session)?.poison === true ? this.#deadly() : model,
      tools: toolsOf(world, driver).map((tool) => ({
        ...tool,
        run: (args, context) => {
          const { job, token } = held;
          if (!queue.isHeld(job, token) && !job.forgotten.has(token))
            oracle.fail(15, `${driver.name} begins something, and its lock is over`);
          const running = tool.run(args, context);
          if (faults.strikes('stop-before-start', tool.description.name)) this.stop();
          return running;
        },
      })),
      spool: spoolOf(world, driver),
      rules: ({ args }) => permissionIn(args),
      async hooks(_, signal) {
        await hop(world, caller, { name: 'hooks', inMs: delay(world, 'hooks'), signal });
        if (faults.strikes('hooks-fail', 'hooks')) throw new Error('simulated: a hook failed');
        return true;
      },
      random: () => choices.choose('jitter', (random) => random.below(100)) / 100,
      observe: (seen) => oracle.observed(driver, seen),
    };
  }

  /** Whoever asks it is gone. */
  #deadly(): Outfit['model'] {
    const crash = this.#crash;
    return {
      name: 'deadly',
      // oxlint-disable-next-line require-yield -- nobody is left to hear anything
      async *stream() {
        crash();
        await new Promise(() => undefined);
      },
    };
  }

  /** Keeps its own record of how this taking ends, and checks every parking against it. */
  #noting(driver: Driver) {
    const { world, takings, counts } = this.#crew;
    const { session } = driver;
    const all = takings.get(session) ?? [];
    takings.set(session, all);
    let own: Taking | null = null;
    let before: readonly Taking['how'][] = [];
    let isUnheard = false;
    const end = (how: Taking['how']): void => {
      if (own !== null) own.how = how;
    };
    return {
      /** Notes in the order in which it is kept. */
      kept: (care: Crew['care']): Crew['care'] => ({
        ...care,
        begin: async (id) => {
          const begun = await care.begin(id);
          if (begun !== null) all.push((own = { driver, how: 'gone' }));
          return begun;
        },
        park: async (parked, crashes) => {
          const isParked = await care.park(parked, crashes);
          // As things are at this moment. One that is still at work counts as gone: nobody has heard how it ends.
          const earlier = own === null ? [] : all.slice(0, Math.max(0, all.indexOf(own)));
          if (isParked) before = earlier.slice(-crashesMax).map(({ how }) => how);
          return isParked;
        },
      }),
      heard: (care: Crew['care']): Crew['care'] => ({
        ...care,
        park: (parked, crashes) => {
          isUnheard = true;
          return care.park(parked, crashes);
        },
        end: async (id) => {
          isUnheard = true;
          await care.end(id);
          isUnheard = false;
        },
      }),
      report: (report: JobReport): void => {
        if (report.kind === 'taken') counts.takings += 1;
        else if (report.kind === 'lost') end('lost');
        else if (report.kind !== 'parked') end('in order');
        else {
          counts.parked += 1;
          const isForCause = before.length === crashesMax && before.every((how) => gone.has(how));
          if (!isForCause)
            world.oracle.fail(21, `${session} is parked (${report.reason}); before: ${before.join(', ')}`);
        }
      },
      failed: (error: unknown): void => {
        if (own?.how !== 'gone') return;
        end(isUnheard ? 'unheard' : 'trouble');
        if (!(error instanceof StoreError))
          world.oracle.fail(18, `${driver.name} cannot go on: ${String(error)}`);
      },
    };
  }

  async #sweep(): Promise<void> {
    const { world, queue, care, parts, counts } = this.#crew;
    const { name, store } = this.process;
    const look: Look = parts.look({
      glimpse: (id) => redisCall(world, name, 'glimpse', () => glimpse(store, id)),
      commands: commandsThrough(world, name, store.commands),
      care: careThrough(world, name, care),
      isQueued: (_, id) => redisCall(world, name, 'is queued', async () => queue.has(id)),
      wake: (wake) => redisCall(world, name, 'wake', async () => queue.add(wake)),
      now: clockOf(world, this.process).now(),
    });
    for (const number of sessionNumbers(world.plan)) {
      // Whatever is wrong, the next sweep is soon.
      const woken = await wakeIfForgotten(sessionId(number), look).catch(() => null);
      if (woken !== null) counts.swept += 1;
    }
  }

  #hop(name: string, inMs: number): Promise<void> {
    return hop(this.#crew.world, { process: this.process.name, kind: 'worker' }, { name, inMs });
  }

  async #everySo(name: string, ms: number, round: () => Promise<void>): Promise<void> {
    while (!this.process.leaving) {
      await this.#hop(name, ms);
      if (!this.process.leaving) await round();
    }
  }
}

const gone: ReadonlySet<Taking['how']> = new Set(['gone', 'lost', 'unheard']);

/** As the real one, it reads no log: most of what is looked at has nothing to do. */
async function glimpse(store: Store, id: string): Promise<Awaited<ReturnType<Look['glimpse']>>> {
  return (await store.list()).find((each) => each.id === id) ?? null;
}

function stopwatchOf({ scheduler }: World, { name }: SimProcess, rate: number): Stopwatch {
  return {
    now: () => scheduler.now * rate,
    ring(ms, then) {
      const coming = { owner: name, lane: `${name}/stopwatch`, name: `${name} rings`, inMs: ms / rate };
      const pending = scheduler.add({ ...coming, happen: then });
      return () => scheduler.remove(pending);
    },
  };
}
