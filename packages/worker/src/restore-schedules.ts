import { isDeepStrictEqual } from 'node:util';
import {
  registerScheduler,
  listPlannedSchedules,
  toRepeatOptions,
  checkScheduleName,
  checkScheduleTiming,
  type PlannedSchedule,
  type ScheduleEntry,
  type ScheduleDefinition,
  type ScheduleRegistry,
  type ScheduleKey,
} from './schedule-registry.ts';
import type { TenantQueues } from './tenant-queues.ts';
import { translateRedisErrors } from './redis/redis-client.ts';

type RestoreContext = {
  readonly queues: TenantQueues;
  readonly registry: ScheduleRegistry;
  readonly now: number;
};

/** How long the tombstone of a removed schedule is stored: far longer than any worker could still restore it. */
const tombstoneMs = 30 * 86_400_000;

/** A schedule set more recently than this may still be in the process of being registered by its creator. */
const settlingMs = 5_000;

/** A schedule whose next run is overdue by more than this and has no job has lost it. */
const overdueMs = 10_000;

/** Maximum attempts while others keep changing the schedule; after that the next sweep tries again. */
const restoreAttemptsMax = 5;

/**
 * Makes the queues match the schedule registry: restores lost schedules, removes deleted ones, and adopts schedules
 * that the registry does not know. Any number of workers can run it concurrently. Resolves to the restored schedules.
 */
export function restoreSchedules(context: RestoreContext): Promise<readonly ScheduleKey[]> {
  const { queues, registry, now } = context;
  return translateRedisErrors(async () => {
    const entries = await registry.list();
    const tenants = new Set([...(await queues.tenants()), ...entries.map(({ tenant }) => tenant)]);
    const restored: ScheduleKey[] = [];
    for (const tenant of tenants) {
      const own = entries.filter((each) => each.tenant === tenant);
      const planned = await listPlannedSchedules(queues, tenant);
      for (const entry of own) {
        if (await restoreSchedule(entry, planned.get(entry.name) ?? null, context))
          restored.push({ tenant, name: entry.name });
      }
      const known = new Set(own.map(({ name }) => name));
      for (const { name, definition } of planned.values())
        if (!known.has(name) && definition.template.goal !== '')
          await registry.addIfMissing({ tenant, name }, definition);
    }
    await registry.removeTombstones(entries, now - tombstoneMs);
    return restored;
  });
}

/** Resolves to whether it was restored. */
async function restoreSchedule(
  entry: ScheduleEntry,
  planned: PlannedSchedule | null,
  context: RestoreContext,
): Promise<boolean> {
  if (await isUpToDate(entry, planned, context)) return false;
  let current: ScheduleEntry | null = entry;
  for (let tries = 0; tries < restoreAttemptsMax && current !== null; tries += 1) {
    if (!(await applyRegistryEntry(current, context))) return false;
    // Another process may have removed or replaced it meanwhile and finished first.
    const after: ScheduleEntry | null = await context.registry.find(entry);
    if (after?.text === current.text) return current.definition !== null;
    current = after;
  }
  return false;
}

async function isUpToDate(
  { name, tenant, definition }: ScheduleEntry,
  planned: PlannedSchedule | null,
  { queues, now }: RestoreContext,
): Promise<boolean> {
  if (definition !== null && definition.from > now - settlingMs) return true;
  if (definition === null || planned === null) return definition === null && planned === null;
  if (!isDeepStrictEqual(toComparableDefinition(definition), toComparableDefinition(planned.definition)))
    return false;
  const { next } = planned;
  if (next === null || next > now - overdueMs) return true;
  return (await queues.getQueue(tenant).getJob(`repeat:${name}:${next}`)) !== undefined;
}

function toComparableDefinition({ when, template }: ScheduleDefinition): unknown {
  return [toRepeatOptions(when), template];
}

/** Resolves to whether the entry was applied; an invalid schedule is left alone. */
async function applyRegistryEntry(
  { tenant, name, definition }: ScheduleEntry,
  { queues, now }: RestoreContext,
): Promise<boolean> {
  if (definition === null) {
    await queues.getQueue(tenant).removeJobScheduler(name);
    return true;
  }
  try {
    checkScheduleName(name);
    checkScheduleTiming(definition.when);
  } catch {
    return false;
  }
  await registerScheduler(queues, { tenant, name, definition }, computeNextRun(definition, now));
  return true;
}

/**
 * Computes the next run as if the schedule had not been lost, so that its interval does not restart. Cron schedules
 * need no start time.
 */
function computeNextRun({ when, from }: ScheduleDefinition, now: number): number | undefined {
  if (!('everyMs' in when)) return undefined;
  const { everyMs } = when;
  return from + (Math.floor((now - from) / everyMs) + 1) * everyMs;
}
