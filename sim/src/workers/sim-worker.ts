import { StoreError, type Store } from '@pawl/runtime/store';
import { processSessionJob, type JobReport } from '../../../packages/worker/src/session-job.ts';
import type { AgentSetup } from '../../../packages/worker/src/agent-factory.ts';
import type { MonotonicTimer } from '../../../packages/worker/src/session-lease.ts';
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

export type SimWorkerOptions = { readonly crash: () => void; readonly timerRate: number };

/** A worker process that takes jobs, runs them with the real code, and sweeps. */
export class SimWorker {
  readonly process: SimProcess;
  readonly #workersWorld: WorkersWorld;
  readonly #crash: () => void;
  readonly #timer: MonotonicTimer;
  readonly #draining = new AbortController();
  #active = 0;
  #takenCount = 0;
  #isFetching = false;

  constructor(workersWorld: WorkersWorld, process: SimProcess, { crash, timerRate }: SimWorkerOptions) {
    this.process = process;
    this.#workersWorld = workersWorld;
    this.#crash = crash;
    const own = createSimTimer(workersWorld.world, process, timerRate);
    this.#timer = workersWorld.parts.timer(own, process, workersWorld.world);
    void this.#runEvery('stalled', stalledEveryMs, async () => workersWorld.queue.releaseStalled());
    void this.#runEvery('sweep', sweepEveryMs, () => this.#sweep());
    this.fetch();
  }

  /** Tries to take a job. */
  fetch(): void {
    const { world, queue } = this.#workersWorld;
    if (
      this.#isFetching ||
      !this.process.isAlive ||
      this.process.isShuttingDown ||
      this.#active >= concurrency
    )
      return;
    this.#isFetching = true;
    void (async () => {
      await this.#wait('fetch', drawDelay(world, 'queue'));
      this.#isFetching = false;
      if (this.process.isShuttingDown) return;
      this.#takenCount += 1;
      const token = `${this.process.name}#${this.#takenCount}`;
      const job = queue.take(token, simLeaseMs);
      if (job === null) return;
      this.#active += 1;
      this.fetch();
      // The job is taken immediately, but the response takes time to arrive.
      await this.#wait('job', drawDelay(world, 'queue'));
      await this.#runJob(job, token);
      this.#active -= 1;
      this.fetch();
    })();
  }

  /** Pauses the worker for longer than its lease; afterwards it continues as if nothing had happened. */
  stop(): void {
    const { world, counts } = this.#workersWorld;
    counts.stops += 1;
    world.scheduler.hold(this.process.name, world.scheduler.now + simLeaseMs * 1.5);
  }

  /** Takes no further jobs, and resolves when all active ones are released. */
  async leave(): Promise<void> {
    this.process.isShuttingDown = true;
    this.#draining.abort();
    while (this.#active > 0) await this.#wait('leaving', 100);
  }

  async #runJob(job: SimJob, token: string): Promise<void> {
    const { world, queue, parts, crashLedger } = this.#workersWorld;
    const { name } = this.process;
    const { session } = job.wake;
    const driver: SessionDriver = {
      name: `${token}/${session}`,
      process: this.process,
      session,
      agent: null,
      isRecovering: false,
      ended: false,
    };
    const store = parts.store(createSimStore(world, driver), world);
    const attempt = this.#trackAttempt(driver);
    let isReleased = false;
    try {
      await processSessionJob(
        {
          wake: job.wake,
          extend: parts.extend(() =>
            performRedisCall(world, name, 'extend', async () => queue.extend(job, token, simLeaseMs)),
          ),
          release: () =>
            performRedisCall(world, name, 'give back', async () => {
              queue.release(job, token);
              isReleased = true;
            }),
        },
        {
          store,
          commands: parts.commands(createCommandsPort(world, name, this.process.store.commands), world),
          crashLedger: attempt.reported(
            parts.crashLedger(createCrashLedgerPort(world, name, attempt.saved(crashLedger))),
          ),
          owner: driver.name,
          agentFactory: async ({ session: { seq } }) => {
            world.oracle.onAttached(driver, seq);
            return this.#createAgentSetup(driver, { job, token });
          },
          draining: this.#draining.signal,
          graceMs: simGraceMs,
          pollMs: simPollMs,
          leaseMs: simLeaseMs,
          crashesMax: simCrashesMax,
          now: () => createSimClock(world, this.process).now(),
          onReport: attempt.report,
          timer: this.#timer,
        },
      );
    } catch (error) {
      attempt.failed(error);
    }
    if (!isReleased)
      await performRedisCall(world, name, 'finish', async () => queue.finish(job, token)).catch(
        () => undefined,
      );
  }

  #createAgentSetup(
    driver: SessionDriver,
    held: { readonly job: SimJob; readonly token: string },
  ): AgentSetup {
    const { world, queue } = this.#workersWorld;
    const { oracle, faults, choices } = world;
    let replies = 0;
    const marks = (): string => `${driver.name}-${(replies += 1)}`;
    const caller = { process: driver.process.name, kind: 'hooks' };
    const model = createSimModel(world, driver, marks);
    return {
      clock: createSimClock(world, this.process),
      model:
        findPlannedSession(world.plan, driver.session)?.poison === true ? this.#createCrashingModel() : model,
      tools: createSimTools(world, driver).map((tool) => ({
        ...tool,
        run: (args, context) => {
          const { job, token } = held;
          if (!queue.isHeld(job, token) && !job.lostTokens.has(token))
            oracle.fail(15, `${driver.name} begins something, and its lock is over`);
          const running = tool.run(args, context);
          if (faults.shouldFail('stop-before-start', tool.description.name)) this.stop();
          return running;
        },
      })),
      spool: createSimSpool(world, driver),
      rules: ({ args }) => getPermissionArgument(args),
      async hooks(_, signal) {
        await waitForScheduler(world, caller, { name: 'hooks', inMs: drawDelay(world, 'hooks'), signal });
        if (faults.shouldFail('hooks-fail', 'hooks')) throw new Error('simulated: a hook failed');
        return true;
      },
      random: () => choices.choose('jitter', (random) => random.below(100)) / 100,
      observe: (seen) => oracle.onObserved(driver, seen),
    };
  }

  /** A model that crashes its worker. */
  #createCrashingModel(): AgentSetup['model'] {
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
  #trackAttempt(driver: SessionDriver) {
    const { world, attempts, counts } = this.#workersWorld;
    const { session } = driver;
    const all = attempts.get(session) ?? [];
    attempts.set(session, all);
    let own: ResumeAttempt | null = null;
    let before: readonly ResumeAttempt['ending'][] = [];
    let isReportPending = false;
    const end = (how: ResumeAttempt['ending']): void => {
      if (own !== null) own.ending = how;
    };
    return {
      /** Records attempts in the order in which the ledger persists them. */
      saved: (ledger: WorkersWorld['crashLedger']): WorkersWorld['crashLedger'] => ({
        ...ledger,
        startAttempt: async (id) => {
          const started = await ledger.startAttempt(id);
          if (started !== null) all.push((own = { driver, ending: 'gone' }));
          return started;
        },
        park: async (parked, crashes) => {
          const isParked = await ledger.park(parked, crashes);
          // Snapshot at this moment. An attempt still in progress counts as `gone`, because its end is not known.
          const earlier = own === null ? [] : all.slice(0, Math.max(0, all.indexOf(own)));
          if (isParked) before = earlier.slice(-simCrashesMax).map(({ ending }) => ending);
          return isParked;
        },
      }),
      reported: (ledger: WorkersWorld['crashLedger']): WorkersWorld['crashLedger'] => ({
        ...ledger,
        park: (parked, crashes) => {
          isReportPending = true;
          return ledger.park(parked, crashes);
        },
        endAttempt: async (id) => {
          isReportPending = true;
          await ledger.endAttempt(id);
          isReportPending = false;
        },
      }),
      report: (report: JobReport): void => {
        if (report.kind === 'taken') counts.resumeAttempts += 1;
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
        if (own?.ending !== 'gone') return;
        end(isReportPending ? 'unheard' : 'trouble');
        if (!(error instanceof StoreError))
          world.oracle.fail(18, `${driver.name} cannot go on: ${String(error)}`);
      },
    };
  }

  async #sweep(): Promise<void> {
    const { world, queue, crashLedger, parts, counts } = this.#workersWorld;
    const { name, store } = this.process;
    const probe: SweepProbe = parts.sweepProbe({
      readSessionHead: (id) => performRedisCall(world, name, 'glimpse', () => findStoredSummary(store, id)),
      commands: createCommandsPort(world, name, store.commands),
      crashLedger: createCrashLedgerPort(world, name, crashLedger),
      isQueued: (_, id) => performRedisCall(world, name, 'is queued', async () => queue.has(id)),
      wake: (wake) => performRedisCall(world, name, 'wake', async () => queue.add(wake)),
      now: createSimClock(world, this.process).now(),
    });
    for (const number of listSessionNumbers(world.plan)) {
      // Ignore errors, because the next sweep follows soon.
      const wokenId = await wakeIfForgotten(formatSimSessionId(number), probe).catch(() => null);
      if (wokenId !== null) counts.swept += 1;
    }
  }

  #wait(name: string, inMs: number): Promise<void> {
    return waitForScheduler(
      this.#workersWorld.world,
      { process: this.process.name, kind: 'worker' },
      { name, inMs },
    );
  }

  async #runEvery(name: string, ms: number, round: () => Promise<void>): Promise<void> {
    while (!this.process.isShuttingDown) {
      await this.#wait(name, ms);
      if (!this.process.isShuttingDown) await round();
    }
  }
}

const goneOutcomes: ReadonlySet<ResumeAttempt['ending']> = new Set(['gone', 'lost', 'unheard']);

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
      const task = { owner: name, lane: `${name}/stopwatch`, name: `${name} rings`, inMs: ms / rate };
      const pending = scheduler.add({ ...task, run: then });
      return () => scheduler.remove(pending);
    },
  };
}
