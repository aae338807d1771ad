import type { ScheduledRunJob, TenantQueues } from './tenant-queues.ts';
import type { ScheduleDefinition, ScheduleKey } from './schedule-registry.ts';
import type { ScheduleTiming } from './schedule-timing.ts';

/** Redis may be full or unavailable for some time, so keep retrying a scheduled run. */
const scheduledRunAttemptsMax = 60;
const scheduledRunRetryMs = 10_000;

/** A schedule as the queue knows it. */
export type PlannedSchedule = ScheduleKey & {
  readonly definition: ScheduleDefinition;
  readonly next: number | null;
};

/**
 * Registers the schedule with the tenant's queue, which creates a job for each run; replaces a schedule of the same
 * name.
 */
export async function registerScheduler(
  queues: TenantQueues,
  { tenant, name, definition: { when, template } }: ScheduleKey & { readonly definition: ScheduleDefinition },
  startDate?: number,
): Promise<void> {
  await queues.register(tenant);
  const data: ScheduledRunJob = { schedule: name, template };
  const opts = {
    attempts: scheduledRunAttemptsMax,
    backoff: { type: 'fixed', delay: scheduledRunRetryMs },
    removeOnComplete: true,
    removeOnFail: true,
  };
  const repeat = { ...toRepeatOptions(when), ...(startDate !== undefined && { startDate }) };
  await queues.getQueue(tenant).upsertJobScheduler(name, repeat, { name: 'fire', data, opts });
}

export async function listPlannedSchedules(
  queues: TenantQueues,
  tenant: string,
): Promise<ReadonlyMap<string, PlannedSchedule>> {
  const schedulers = await queues.getQueue(tenant).getJobSchedulers(0, -1, true);
  return new Map(
    schedulers.map(({ key: name, every, pattern = '', tz, next = null, template }) => {
      const when =
        every === undefined ? { cron: pattern, ...(tz !== undefined && { tz }) } : { everyMs: every };
      const data = template?.data as ScheduledRunJob | undefined;
      const definition = { when, template: data?.template ?? emptyTemplate, from: next ?? 0 };
      return [name, { tenant, name, definition, next }];
    }),
  );
}

/** For a job created by another program, which has no template. */
const emptyTemplate: ScheduleDefinition['template'] = { goal: '', profile: 'pawl', settings: {} };

export function toRepeatOptions(timing: ScheduleTiming) {
  if ('everyMs' in timing) return { every: timing.everyMs };
  return { pattern: timing.cron, tz: timing.tz ?? 'UTC' };
}
