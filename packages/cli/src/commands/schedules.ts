import { randomUUID } from 'node:crypto';
import type { ScheduleSummary, SessionQueue, SessionTemplate, ScheduleTiming } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { formatTimeSpan } from './queue-limit.ts';
import { withQueue, type QueueFlags } from './queue-connection.ts';
import { parseTimeSpanOption } from './number-options.ts';
import { formatDateTime } from './format-time.ts';
import { requireTenantName } from './tenant.ts';
import { truncateColumns } from './columns.ts';

type ScheduleTimeFlags = {
  readonly every?: string;
  readonly cron?: string;
  readonly tz?: string;
  readonly name?: string;
  readonly delay?: string;
};

/** Null for a goal that is submitted once. */
export function parseScheduleTime({
  every,
  cron,
  tz,
  name,
  delay,
}: ScheduleTimeFlags): ScheduleTiming | null {
  if (every === undefined && cron === undefined) {
    if (tz !== undefined || name !== undefined) {
      throw new UsageError('--name and --tz are for what comes again: say --every 6h or --cron "0 3 * * *".');
    }
    return null;
  }
  if (every !== undefined && cron !== undefined)
    throw new UsageError('Give one of --every and --cron, not both.');
  if (delay !== undefined) throw new UsageError('--delay is for what comes once. With --cron you say when.');
  if (cron !== undefined) return { cron, ...(tz !== undefined && { tz }) };
  if (tz !== undefined) throw new UsageError('--tz is for --cron: every so often is the same everywhere.');
  return { everyMs: parseTimeSpanOption('--every', every ?? '') };
}

type ScheduleGoalOptions = {
  readonly name: string | undefined;
  readonly tenant: string | undefined;
  readonly when: ScheduleTiming;
  readonly template: SessionTemplate;
  readonly json: boolean | undefined;
};

/** Schedules a goal under a name; an existing schedule of that name is replaced. */
export async function scheduleGoal(
  { schedules }: SessionQueue,
  {
    name = `schedule-${randomUUID().slice(0, 8)}`,
    tenant = 'default',
    when,
    template,
    json,
  }: ScheduleGoalOptions,
  io: CommandIo,
): Promise<ExitCode> {
  requireTenantName('--name', name);
  const next = await schedules.set(name, when, template, tenant);
  if (json === true) io.stdout.write(`${JSON.stringify({ name, tenant, next })}\n`);
  else {
    io.stdout.write(`${name}\n`);
    io.stderr.write(
      `Scheduled, first at ${formatDateTime(next)}. End it with: pawl queue unschedule ${name}\n`,
    );
  }
  return exitCodes.finished;
}

/** Lists schedules with their next run. */
export function listSchedules(flags: QueueFlags, io: CommandIo): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ queue }) => {
    const all = await queue.schedules.all();
    if (flags.json === true) for (const each of all) io.stdout.write(`${JSON.stringify(each)}\n`);
    else io.stdout.write(all.map(formatSchedule).join(''));
    if (all.length === 0) io.stderr.write('Nothing is scheduled. pawl submit --every 6h "…" does that.\n');
    return exitCodes.finished;
  });
}

/** Removes a schedule; sessions it has started continue. */
export function removeSchedule(
  name: string,
  flags: QueueFlags & { readonly tenant?: string },
  io: CommandIo,
): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ queue }) => {
    const { tenant } = findSchedule(await queue.schedules.all(), name, flags.tenant);
    const removed = await queue.schedules.remove(name, tenant);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ name, tenant, removed })}\n`);
    else io.stdout.write(`${sanitizeOneLine(name)} comes no more. What it has begun goes on.\n`);
    return exitCodes.finished;
  });
}

function findSchedule(
  all: readonly ScheduleSummary[],
  name: string,
  tenant: string | undefined,
): ScheduleSummary {
  const meant = all.filter((each) => each.name === name && (tenant === undefined || each.tenant === tenant));
  const [only, another] = meant;
  if (only === undefined) {
    throw new UsageError(
      `There is no schedule ${JSON.stringify(sanitizeOneLine(name.slice(0, 100)))}. List them: pawl queue schedules`,
    );
  }
  if (another === undefined) return only;
  const tenants = meant.map((each) => sanitizeOneLine(each.tenant)).join(', ');
  throw new UsageError(`Several tenants have one of that name: ${tenants}. Say whose with --tenant.`);
}

function formatSchedule({ name, tenant, when, goal, next }: ScheduleSummary): string {
  const rhythm =
    'everyMs' in when ? `every ${formatTimeSpan(when.everyMs)}` : `cron "${when.cron}" ${when.tz ?? 'UTC'}`;
  const soon = next === null ? 'not planned' : `next ${formatDateTime(next)}`;
  return `${[name, tenant, rhythm, soon].map(sanitizeOneLine).join('  ')}  ${truncateColumns(goal, 60)}\n`;
}
