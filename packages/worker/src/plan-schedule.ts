import type { Firing, Queues } from './queues.ts';
import type { Definition, ScheduleName } from './schedule-book.ts';
import type { When } from './when.ts';

/** Redis may be full or away for some time: a firing is not given up for that. */
const triesMax = 60;
const retryMs = 10_000;

/** A schedule as the queue has it. */
export type Planned = ScheduleName & { readonly definition: Definition; readonly next: number | null };

/** Has the queue of the tenant make a job each time; what it had under this name is replaced. */
export async function plan(
  queues: Queues,
  { tenant, name, definition: { when, template } }: ScheduleName & { readonly definition: Definition },
  startDate?: number,
): Promise<void> {
  await queues.register(tenant);
  const data: Firing = { schedule: name, template };
  const opts = {
    attempts: triesMax,
    backoff: { type: 'fixed', delay: retryMs },
    removeOnComplete: true,
    removeOnFail: true,
  };
  const repeat = { ...repeatFor(when), ...(startDate !== undefined && { startDate }) };
  await queues.of(tenant).upsertJobScheduler(name, repeat, { name: 'fire', data, opts });
}

export async function plannedIn(queues: Queues, tenant: string): Promise<ReadonlyMap<string, Planned>> {
  const found = await queues.of(tenant).getJobSchedulers(0, -1, true);
  return new Map(
    found.map(({ key: name, every, pattern = '', tz, next = null, template }) => {
      const when =
        every === undefined ? { cron: pattern, ...(tz !== undefined && { tz }) } : { everyMs: every };
      const data = template?.data as Firing | undefined;
      const definition = { when, template: data?.template ?? noTemplate, from: next ?? 0 };
      return [name, { tenant, name, definition, next }];
    }),
  );
}

/** For a job that somebody else has put there: it does not say what is to be done. */
const noTemplate: Definition['template'] = { goal: '', profile: 'pawl', settings: {} };

export function repeatFor(when: When) {
  if ('everyMs' in when) return { every: when.everyMs };
  return { pattern: when.cron, tz: when.tz ?? 'UTC' };
}
