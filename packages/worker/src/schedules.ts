import { createHash } from 'node:crypto';
import { createSession } from '@pawl/core';
import type { Store } from '@pawl/runtime';
import { plan, plannedIn } from './plan-schedule.ts';
import { defaultTenant, type Firing, type Queues, type Template } from './queues.ts';
import { translated } from './redis-error.ts';
import type { ScheduleBook } from './schedule-book.ts';
import { submitOnce } from './submit.ts';
import { checkName, checkWhen, type When } from './when.ts';

export type Schedule = {
  readonly name: string;
  readonly tenant: string;
  readonly when: When;
  readonly goal: string;
  /** When it makes the next session, in milliseconds; null for one that the queue has lost and no worker has put back yet. */
  readonly next: number | null;
};

export type Schedules = {
  /** Makes sessions from now on, in place of whatever had this name. Resolves to the first time. */
  set(name: string, when: When, template: Template, tenant?: string): Promise<number>;
  all(): Promise<readonly Schedule[]>;
  /** Resolves to whether there was one. The sessions it has made stay. */
  remove(name: string, tenant?: string): Promise<boolean>;
};

/** The clock of schedules is BullMQ's; what they are is kept beside it, so that they outlive its queues. */
export function schedulesOn(queues: Queues, book: ScheduleBook): Schedules {
  return {
    async set(name, when, template, tenant = defaultTenant) {
      checkName(name);
      checkWhen(when);
      const definition = { when, template, from: Date.now() };
      return translated(async () => {
        // Kept first: one that the queue does not know of is put there by the next sweep.
        await book.put({ tenant, name }, definition);
        await plan(queues, { tenant, name, definition });
        return (await queues.of(tenant).getJobScheduler(name))?.next ?? definition.from;
      });
    },
    all: () =>
      translated(async () => {
        const [entries, tenants] = await Promise.all([book.all(), queues.tenants()]);
        const all = tenants.map((tenant) => schedulesOf(tenant, { queues, entries }));
        return (await Promise.all(all)).flat();
      }),
    remove: (name, tenant = defaultTenant) =>
      translated(async () => {
        const queue = queues.of(tenant);
        const entry = await book.find({ tenant, name });
        const isThere =
          entry === null ? (await queue.getJobScheduler(name)) !== undefined : entry.definition !== null;
        if (!isThere) return false;
        // Noted first: nobody puts it back from then on.
        await book.strike({ tenant, name }, Date.now());
        await queue.removeJobScheduler(name);
        return true;
      }),
  };
}

type Known = { readonly queues: Queues; readonly entries: Awaited<ReturnType<ScheduleBook['all']>> };

async function schedulesOf(tenant: string, { queues, entries }: Known): Promise<readonly Schedule[]> {
  const own = new Map(entries.filter((each) => each.tenant === tenant).map((each) => [each.name, each]));
  const planned = await plannedIn(queues, tenant);
  const lost = [...own.values()].filter(({ name }) => !planned.has(name));
  return [
    ...[...planned.values()].map(({ name, definition, next }) => ({ name, definition, next })),
    ...lost.map(({ name, definition }) => ({ name, definition, next: null })),
  ].flatMap(({ name, definition, next }) => {
    const isRemoved = own.get(name)?.definition === null;
    if (definition === null || isRemoved) return [];
    return [{ name, tenant, when: definition.when, goal: goalIn(definition.template), next }];
  });
}

function goalIn(template: unknown): string {
  const { goal } = Object(template) as Partial<Template>;
  return typeof goal === 'string' ? goal : '';
}

export type FireMeans = { readonly store: Store; readonly queues: Queues; readonly owner: string };

/** Makes the session of one firing, once: a job that is delivered twice finds the session it made first. Resolves to its id. */
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
    throw new Error(`Job ${JSON.stringify(job)} does not say at its end for which time it was made.`);
  return at;
}
