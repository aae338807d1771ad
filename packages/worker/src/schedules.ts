import { createHash } from 'node:crypto';
import { createSession } from '@pawl/core';
import { StoreError, type Store } from '@pawl/runtime';
import { getNextMillis } from 'bullmq';
import { defaultTenant, type Firing, type Queues, type Template } from './queues.ts';
import { translated } from './redis-error.ts';
import { submitOnce } from './submit.ts';

/** Every so often, the first time at once; or by the clock, as `0 3 * * *` for three at night, in UTC unless told otherwise. */
export type When = { readonly everyMs: number } | { readonly cron: string; readonly tz?: string };

export type Schedule = {
  readonly name: string;
  readonly tenant: string;
  readonly when: When;
  readonly goal: string;
  /** When it makes the next session, in milliseconds. */
  readonly next: number | null;
};

export type Schedules = {
  /** Has sessions made from now on. What was under this name before is replaced. Resolves to the first time. */
  set(name: string, when: When, template: Template, tenant?: string): Promise<number>;
  all(): Promise<readonly Schedule[]>;
  /** Resolves to whether there was one. The sessions it has made stay. */
  remove(name: string, tenant?: string): Promise<boolean>;
};

/** Redis may be full, or away, for some time: the firing is not given up for that. */
const triesMax = 60;
const retryMs = 10_000;

/** Schedules are BullMQ's own; their jobs are in the queue of the tenant whose sessions they make. */
export function schedulesOn(queues: Queues): Schedules {
  return {
    async set(name, when, template, tenant = defaultTenant) {
      checkName(name);
      checkWhen(when);
      return translated(async () => {
        await queues.register(tenant);
        const data: Firing = { schedule: name, template };
        const opts = {
          attempts: triesMax,
          backoff: { type: 'fixed', delay: retryMs },
          removeOnComplete: true,
          removeOnFail: true,
        };
        const queue = queues.of(tenant);
        await queue.upsertJobScheduler(name, repeatFor(when), { name: 'fire', data, opts });
        return (await queue.getJobScheduler(name))?.next ?? Date.now();
      });
    },
    all: () =>
      translated(async () => {
        const tenants = await queues.tenants();
        return (await Promise.all(tenants.map((tenant) => schedulesOf(queues, tenant)))).flat();
      }),
    remove: (name, tenant = defaultTenant) => translated(() => queues.of(tenant).removeJobScheduler(name)),
  };
}

export type FireMeans = { readonly store: Store; readonly queues: Queues; readonly owner: string };

/** Makes the session of one firing, once: a job that comes twice finds the session that its first coming made. Gives its id. */
export async function fire(
  { id: job = '', data: { schedule, template } }: { readonly id?: string | undefined; readonly data: Firing },
  tenant: string,
  { store, queues, owner }: FireMeans,
): Promise<string> {
  const { goal, profile, settings, about = null, priority } = template;
  const id = sessionIdFor(schedule, tenant, firedAt(job));
  const now = Date.now();
  const session = createSession({ id, at: now, profile, settings });
  const turn = { tenant, ...(priority !== undefined && { priority }) };
  await submitOnce({ store, queues }, { session, goal }, { about, owner, now, ...turn });
  return id;
}

/** The same for the same firing, wherever and how often it is worked on; never the same for two of different tenants. */
function sessionIdFor(schedule: string, tenant: string, at: number): string {
  const stamp = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const mark = createHash('sha256')
    .update(JSON.stringify([tenant, schedule, at]))
    .digest('hex')
    .slice(0, 8);
  return `${schedule}-${stamp}-${mark}`;
}

/** The time that a job was made for is at the end of its id. */
function firedAt(job: string): number {
  const at = Number(/:(\d{1,15})$/.exec(job)?.[1]);
  if (Number.isNaN(at))
    throw new Error(`Job ${JSON.stringify(job)} does not say for which time it was made.`);
  return at;
}

async function schedulesOf(queues: Queues, tenant: string): Promise<readonly Schedule[]> {
  const found = await queues.of(tenant).getJobSchedulers(0, -1, true);
  return found.map(({ key, every, pattern = '', tz, next, template }) => ({
    name: key,
    tenant,
    when: every === undefined ? { cron: pattern, ...(tz !== undefined && { tz }) } : { everyMs: every },
    goal: goalIn(template?.data),
    next: next ?? null,
  }));
}

function goalIn(data: unknown): string {
  const { template } = Object(data) as Partial<Firing>;
  return typeof template?.goal === 'string' ? template.goal : '';
}

function repeatFor(when: When) {
  if ('everyMs' in when) return { every: when.everyMs };
  return { pattern: when.cron, tz: when.tz ?? 'UTC' };
}

function checkName(name: string): void {
  if (/^[\w.-]{1,100}$/.test(name)) return;
  throw invalid('its name takes 1 to 100 letters, digits, dots, dashes and underscores');
}

const everyMinMs = 1_000;
const everyMaxMs = 366 * 86_400_000;

function checkWhen(when: When): void {
  if ('everyMs' in when) {
    const { everyMs } = when;
    if (Number.isSafeInteger(everyMs) && everyMs >= everyMinMs && everyMs <= everyMaxMs) return;
    throw invalid('it repeats after a second at the earliest, and after a year at the latest');
  }
  const { cron, tz = 'UTC' } = when;
  if (!isTimeZone(tz))
    throw invalid(`there is no time zone ${JSON.stringify(tz)}: name one such as Europe/Zurich`);
  if (cron.trim().split(/\s+/).length !== 5 || cron.length > 200) {
    throw invalid(
      'a cron expression has five parts: minute, hour, day, month, day of the week, as in "0 3 * * *"',
    );
  }
  const problem = problemIn(cron, tz);
  if (problem !== null)
    throw invalid(`the cron expression ${JSON.stringify(cron)} means nothing: ${problem}`);
}

function problemIn(cron: string, tz: string): string | null {
  try {
    const next = getNextMillis(Date.now(), { pattern: cron, tz });
    return next === undefined ? 'it never comes to pass' : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isTimeZone(tz: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: tz }).format(0) !== '';
  } catch {
    return false;
  }
}

function invalid(reason: string): StoreError {
  return new StoreError('invalid', 'a schedule', reason);
}
