import { StoreError, type Store } from '@pawl/runtime';
import { processSessionJob, type JobReport } from '../../../packages/worker/src/session-job.ts';
import type { AgentSetup } from '../../../packages/worker/src/agent-factory.ts';
import type { MonotonicTimer } from '../../../packages/worker/src/monotonic-timer.ts';
import { wakeIfForgotten, type SweepProbe } from '../../../packages/worker/src/sweep.ts';
import { getPermissionArgument } from '../drive-session.ts';
import { findPlannedSession, formatSimSessionId, listSessionNumbers } from '../plan.ts';
import { drawDelay, waitForScheduler } from '../port-call.ts';
import { createSimClock } from '../sim-clock.ts';
import { createSimModel } from '../sim-model.ts';
import { createSimSpool } from '../sim-spool.ts';
import { createSimStore } from '../sim-store.ts';
import { createSimTools } from '../sim-tools.ts';
import type { SessionDriver, SimProcess, SimWorld } from '../sim-world.ts';
import type { WorkersWorld, ResumeAttempt } from './workers-world.ts';
import { createCrashLedgerPort, createCommandsPort, performRedisCall } from './redis-ports.ts';
import type { SimJob } from './sim-queue.ts';

const simLeaseMs = 10_000;
const simCrashesMax = 5;
const concurrency = 2;
const simPollMs = 2_000;
const simGraceMs = 2_000;
const stalledEveryMs = simLeaseMs / 4;
const sweepEveryMs = 5_000;

export type SimWorkerOptions = { readonly crash: () => void; readonly stopwatchRate: number };

/** A worker process that takes jobs, runs them with the real code, and sweeps. */
export class SimWorker {
  readonly process: SimProcess;
  readonly #crew: WorkersWorld;
  readonly #crash: () => void;
  readonly #stopwatch: MonotonicTimer;
  readonly #draining = new AbortController();
  #active = 0;
  #taken = 0;
  #isFetching = false;

  constructor(crew: WorkersWorld, process: SimProcess, { crash, stopwatchRate }: SimWorkerOptions) {
    this.process = process;
    this.#crew = crew;
    this.#crash = crash;
    const own = createSimTimer(crew.world, process, stopwatchRate);
    this.#stopwatch = crew.parts.stopwatch(own, process, crew.world);
    void this.#everySo('stalled', stalledEveryMs, async () => crew.queue.releaseStalled());
    void this.#everySo('sweep', sweepEveryMs, () => this.#sweep());
    this.fetch();
  }

  /** Tries to take a job. */
  fetch(): void {
    const { world, queue } = this.#crew;
    if (this.#isFetching || !this.process.alive || this.process.leaving || this.#active >= concurrency)
      return;
    this.#isFetching = true;
    void (async () => {
      await this.#hop('fetch', drawDelay(world, 'queue'));
      this.#isFetching = false;
      if (this.process.leaving) return;
      this.#taken += 1;
      const token = `${this.process.name}#${this.#taken}`;
      const job = queue.take(token, simLeaseMs);
      if (job === null) return;
      this.#active += 1;
      this.fetch();
      // The job is taken immediately, but the response takes time to arrive.
      await this.#hop('job', drawDelay(world, 'queue'));
      await this.#carryOut(job, token);
      this.#active -= 1;
      this.fetch();
    })();
  }

  /** Pauses the worker for longer than its lease; afterwards it continues as if nothing had happened. */
  stop(): void {
    const { world, counts } = this.#crew;
    counts.stops += 1;
    world.scheduler.hold(this.process.name, world.scheduler.now + simLeaseMs * 1.5);
  }

  /** Takes no further jobs, and resolves when all active ones are released. */
  async leave(): Promise<void> {
    this.process.leaving = true;
    this.#draining.abort();
    while (this.#active > 0) await this.#hop('leaving', 100);
  }

  async #carryOut(job: SimJob, token: string): Promise<void> {
    const { world, queue, parts, care } = this.#crew;
    const { name } = this.process;
    const { session } = job.wake;
    const driver: SessionDriver = {
      name: `${token}/${session}`,
      process: this.process,
      session,
      agent: null,
      recovering: false,
      gone: false,
    };
    const store = parts.store(createSimStore(world, driver), world);
    const taking = this.#noting(driver);
    let isGivenBack = false;
    try {
      await processSessionJob(
        {
          wake: job.wake,
          extend: parts.extend(() =>
            performRedisCall(world, name, 'extend', async () => queue.extend(job, token, simLeaseMs)),
          ),
          release: () =>
            performRedisCall(world, name, 'give back', async () => {
              queue.giveBack(job, token);
              isGivenBack = true;
            }),
        },
        {
          store,
          commands: parts.commands(createCommandsPort(world, name, this.process.store.commands), world),
          crashLedger: taking.heard(parts.care(createCrashLedgerPort(world, name, taking.kept(care)))),
          owner: driver.name,
          agentFactory: async ({ session: { seq } }) => {
            world.oracle.watching(driver, seq);
            return this.#outfit(driver, { job, token });
          },
          draining: this.#draining.signal,
          graceMs: simGraceMs,
          pollMs: simPollMs,
          leaseMs: simLeaseMs,
          crashesMax: simCrashesMax,
          now: () => createSimClock(world, this.process).now(),
          onReport: taking.report,
          timer: this.#stopwatch,
        },
      );
    } catch (error) {
      taking.failed(error);
    }
    if (!isGivenBack)
      await performRedisCall(world, name, 'finish', async () => queue.finish(job, token)).catch(
        () => undefined,
      );
  }

  #outfit(driver: SessionDriver, held: { readonly job: SimJob; readonly token: string }): AgentSetup {
    const { world, queue } = this.#crew;
    const { oracle, faults, choices } = world;
    let replies = 0;
    const marks = (): string => `${driver.name}-${(replies += 1)}`;
    const caller = { process: driver.process.name, kind: 'hooks' };
    const model = createSimModel(world, driver, marks);
    return {
      clock: createSimClock(world, this.process),
      model: findPlannedSession(world.plan, driver.session)?.poison === true ? this.#deadly() : model,
      tools: createSimTools(world, driver).map((tool) => ({
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
      spool: createSimSpool(world, driver),
      rules: ({ args }) => getPermissionArgument(args),
      async hooks(_, signal) {
        await waitForScheduler(world, caller, { name: 'hooks', inMs: drawDelay(world, 'hooks'), signal });
        if (faults.strikes('hooks-fail', 'hooks')) throw new Error('simulated: a hook failed');
        return true;
      },
      random: () => choices.choose('jitter', (random) => random.below(100)) / 100,
      observe: (seen) => oracle.observed(driver, seen),
    };
  }

  /** A model that crashes its worker. */
  #deadly(): AgentSetup['model'] {
    const crash = this.#crash;
    return {
      name: 'deadly',
      // oxlint-disable-next-line require-yield -- the worker crashes before it yields
      async *stream() {
        crash();
        await new Promise(() => undefined);
      },
    };
  }

  /** Records how this attempt ends, and checks every parking decision against that record. */
  #noting(driver: SessionDriver) {
    const { world, takings, counts } = this.#crew;
    const { session } = driver;
    const all = takings.get(session) ?? [];
    takings.set(session, all);
    let own: ResumeAttempt | null = null;
    let before: readonly ResumeAttempt['how'][] = [];
    let isUnheard = false;
    const end = (how: ResumeAttempt['how']): void => {
      if (own !== null) own.how = how;
    };
    return {
      /** Records attempts in the order in which the ledger persists them. */
      kept: (care: WorkersWorld['care']): WorkersWorld['care'] => ({
        ...care,
        startAttempt: async (id) => {
          const begun = await care.startAttempt(id);
          if (begun !== null) all.push((own = { driver, how: 'gone' }));
          return begun;
        },
        park: async (parked, crashes) => {
          const isParked = await care.park(parked, crashes);
          // Snapshot at this moment. An attempt still in progress counts as `gone`, because its end is not known.
          const earlier = own === null ? [] : all.slice(0, Math.max(0, all.indexOf(own)));
          if (isParked) before = earlier.slice(-simCrashesMax).map(({ how }) => how);
          return isParked;
        },
      }),
      heard: (care: WorkersWorld['care']): WorkersWorld['care'] => ({
        ...care,
        park: (parked, crashes) => {
          isUnheard = true;
          return care.park(parked, crashes);
        },
        endAttempt: async (id) => {
          isUnheard = true;
          await care.endAttempt(id);
          isUnheard = false;
        },
      }),
      report: (report: JobReport): void => {
        if (report.kind === 'taken') counts.takings += 1;
        else if (report.kind === 'lost') end('lost');
        else if (report.kind !== 'parked') end('in order');
        else {
          counts.parked += 1;
          const isForCause = before.length === simCrashesMax && before.every((how) => goneOutcomes.has(how));
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
    const look: SweepProbe = parts.look({
      readSessionHead: (id) => performRedisCall(world, name, 'glimpse', () => findStoredSummary(store, id)),
      commands: createCommandsPort(world, name, store.commands),
      crashLedger: createCrashLedgerPort(world, name, care),
      isQueued: (_, id) => performRedisCall(world, name, 'is queued', async () => queue.has(id)),
      wake: (wake) => performRedisCall(world, name, 'wake', async () => queue.add(wake)),
      now: createSimClock(world, this.process).now(),
    });
    for (const number of listSessionNumbers(world.plan)) {
      // Ignore errors, because the next sweep follows soon.
      const woken = await wakeIfForgotten(formatSimSessionId(number), look).catch(() => null);
      if (woken !== null) counts.swept += 1;
    }
  }

  #hop(name: string, inMs: number): Promise<void> {
    return waitForScheduler(this.#crew.world, { process: this.process.name, kind: 'worker' }, { name, inMs });
  }

  async #everySo(name: string, ms: number, round: () => Promise<void>): Promise<void> {
    while (!this.process.leaving) {
      await this.#hop(name, ms);
      if (!this.process.leaving) await round();
    }
  }
}

const goneOutcomes: ReadonlySet<ResumeAttempt['how']> = new Set(['gone', 'lost', 'unheard']);

/** Like the real implementation, it reads no log, because most sessions need no work. */
async function findStoredSummary(
  store: Store,
  id: string,
): Promise<Awaited<ReturnType<SweepProbe['readSessionHead']>>> {
  return (await store.list()).find((each) => each.id === id) ?? null;
}

function createSimTimer({ scheduler }: SimWorld, { name }: SimProcess, rate: number): MonotonicTimer {
  return {
    now: () => scheduler.now * rate,
    schedule(ms, then) {
      const coming = { owner: name, lane: `${name}/stopwatch`, name: `${name} rings`, inMs: ms / rate };
      const pending = scheduler.add({ ...coming, happen: then });
      return () => scheduler.remove(pending);
    },
  };
}
