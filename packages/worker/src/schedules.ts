import { createHash } from 'node:crypto';
import { createSession, type Json } from '@pawl/core';
import type { Store } from '@pawl/runtime/store';
import {
  registerScheduler,
  listPlannedSchedules,
  checkScheduleName,
  checkScheduleTiming,
  type ScheduleRegistry,
  type ScheduleTiming,
} from './schedule-registry.ts';
import {
  defaultTenant,
  type ScheduledRunJob,
  type TenantQueues,
  type SessionTemplate,
} from './tenant-queues.ts';
import { translateRedisErrors } from './redis/redis-client.ts';
import { submitSessionOnce } from './submit-session.ts';

export type ScheduleSummary = {
  readonly name: string;
  readonly tenant: string;
  readonly when: ScheduleTiming;
  readonly goal: string;
  /**
   * Time of the next run in milliseconds; null if the queue has lost the schedule and no worker has restored it yet.
   */
  readonly next: number | null;
};

export type ScheduleManager = {
  /** Creates a schedule or replaces the one with this name. Resolves to the time of the first run. */
  set(name: string, when: ScheduleTiming, template: SessionTemplate, tenant?: string): Promise<number>;
  all(): Promise<readonly ScheduleSummary[]>;
  /** Resolves to whether it existed. Sessions it has created remain. */
  remove(name: string, tenant?: string): Promise<boolean>;
};

/**
 * BullMQ triggers the schedules; their definitions are stored separately, so that they survive the loss of its queues.
 */
export function createScheduleManager(queues: TenantQueues, registry: ScheduleRegistry): ScheduleManager {
  return {
    async set(name, when, template, tenant = defaultTenant) {
      checkScheduleName(name);
      checkScheduleTiming(when);
      const definition = { when, template, from: Date.now() };
      return translateRedisErrors(async () => {
        // Store it first: the next sweep registers a schedule that the queue does not know.
        await registry.save({ tenant, name }, definition);
        await registerScheduler(queues, { tenant, name, definition });
        return (await queues.getQueue(tenant).getJobScheduler(name))?.next ?? definition.from;
      });
    },
    all: () =>
      translateRedisErrors(async () => {
        const [entries, tenants] = await Promise.all([registry.list(), queues.tenants()]);
        const all = tenants.map((tenant) => listTenantSchedules(tenant, { queues, entries }));
        return (await Promise.all(all)).flat();
      }),
    remove: (name, tenant = defaultTenant) =>
      translateRedisErrors(async () => {
        const queue = queues.getQueue(tenant);
        const entry = await registry.find({ tenant, name });
        const exists =
          entry === null ? (await queue.getJobScheduler(name)) !== undefined : entry.definition !== null;
        if (!exists) return false;
        // Record the removal first, so that no worker restores the schedule.
        await registry.recordRemoval({ tenant, name }, Date.now());
        await queue.removeJobScheduler(name);
        return true;
      }),
  };
}

type ScheduleSources = {
  readonly queues: TenantQueues;
  readonly entries: Awaited<ReturnType<ScheduleRegistry['list']>>;
};

async function listTenantSchedules(
  tenant: string,
  { queues, entries }: ScheduleSources,
): Promise<readonly ScheduleSummary[]> {
  const own = new Map(entries.filter((each) => each.tenant === tenant).map((each) => [each.name, each]));
  const planned = await listPlannedSchedules(queues, tenant);
  const lost = [...own.values()].filter(({ name }) => !planned.has(name));
  return [
    ...[...planned.values()].map(({ name, definition, next }) => ({ name, definition, next })),
    ...lost.map(({ name, definition }) => ({ name, definition, next: null })),
  ].flatMap(({ name, definition, next }) => {
    const isRemoved = own.get(name)?.definition === null;
    if (definition === null || isRemoved) return [];
    return [{ name, tenant, when: definition.when, goal: getTemplateGoal(definition.template), next }];
  });
}

function getTemplateGoal(template: unknown): string {
  const { goal } = Object(template) as Partial<SessionTemplate>;
  return typeof goal === 'string' ? goal : '';
}

export type ScheduledRunContext = {
  readonly store: Store;
  readonly queues: TenantQueues;
  readonly owner: string;
};

/**
 * Creates the session of one scheduled run exactly once: a job delivered twice finds the session that already exists.
 * Resolves to its id.
 */
export async function startScheduledRun(
  {
    id: job = '',
    data: { schedule, template },
  }: { readonly id?: string | undefined; readonly data: ScheduledRunJob },
  tenant: string,
  { store, queues, owner }: ScheduledRunContext,
): Promise<string> {
  const { goal, profile, settings, priority } = template;
  const metadata = getTemplateMetadata(template);
  const id = deriveScheduledSessionId(schedule, tenant, parseScheduledTime(job));
  const now = Date.now();
  const session = createSession({ id, at: now, profile, settings });
  const assignment = { tenant, ...(priority !== undefined && { priority }) };
  await submitSessionOnce({ store, queues }, { session, goal }, { metadata, owner, now, ...assignment });
  return id;
}

/** Earlier versions stored the metadata of a template as `about`. */
function getTemplateMetadata(template: SessionTemplate & { readonly about?: Json }): Json {
  return template.metadata ?? template.about ?? null;
}

/**
 * The same id for the same scheduled run, wherever and how often it is processed, and different ids for different
 * tenants.
 */
function deriveScheduledSessionId(schedule: string, tenant: string, at: number): string {
  const stamp = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const hash = createHash('sha256')
    .update(JSON.stringify([tenant, schedule, at]))
    .digest('hex')
    .slice(0, 8);
  return `${schedule}-${stamp}-${hash}`;
}

/** A job's id ends with the time it was created for. */
function parseScheduledTime(job: string): number {
  const at = Number(/:(\d{1,15})$/.exec(job)?.[1]);
  if (Number.isNaN(at))
    throw new Error(`The id of job ${JSON.stringify(job)} does not end with a scheduled time.`);
  return at;
}
