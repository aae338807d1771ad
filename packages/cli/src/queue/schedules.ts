import { randomUUID } from 'node:crypto';
import type { ScheduleSummary, SessionQueue, SessionTemplate, ScheduleTiming } from '@pawl/worker';
import { exitCodes, type ExitCode, UsageError } from '../output/exit-codes.ts';
import type { CommandIo } from '../output/command-io.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { withQueue, type QueueFlags } from './queue-connection.ts';
import { formatTimeSpan, parseTimeSpanOption, requireTenantName } from '../options/parse-options.ts';
import { formatDateTime } from '../output/format-time.ts';
import { truncateColumns } from '../output/columns.ts';

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
      throw new UsageError('--name and --tz apply only to schedules: add --every 6h or --cron "0 3 * * *".');
    }
    return null;
  }
  if (every !== undefined && cron !== undefined) throw new UsageError('Use --every or --cron, not both.');
  if (delay !== undefined)
    throw new UsageError('--delay does not apply to schedules. Use --cron to choose the time.');
  if (cron !== undefined) return { cron, ...(tz !== undefined && { tz }) };
  if (tz !== undefined) throw new UsageError('--tz applies only to --cron.');
  return { everyMs: parseTimeSpanOption('--every', every ?? '') };
}

type ScheduleGoalOptions = {
  readonly name: string | undefined;
  readonly tenant: string | undefined;
  readonly timing: ScheduleTiming;
  readonly template: SessionTemplate;
  readonly json: boolean | undefined;
};

/** Schedules a goal under a name; an existing schedule of that name is replaced. */
export async function scheduleGoal(
  { schedules }: SessionQueue,
  {
    name = `schedule-${randomUUID().slice(0, 8)}`,
    tenant = 'default',
    timing,
    template,
    json,
  }: ScheduleGoalOptions,
  io: CommandIo,
): Promise<ExitCode> {
  requireTenantName('--name', name);
  const next = await schedules.set(name, timing, template, tenant);
  if (json === true) io.stdout.write(`${JSON.stringify({ name, tenant, next })}\n`);
  else {
    io.stdout.write(`${name}\n`);
    io.stderr.write(
      `Scheduled; first run at ${formatDateTime(next)}. To remove it: pawl queue unschedule ${name}\n`,
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
    if (all.length === 0) io.stderr.write('There are no schedules. Create one: pawl submit --every 6h "…"\n');
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
    else
      io.stdout.write(`Removed the schedule ${sanitizeOneLine(name)}. Sessions that it started continue.\n`);
    return exitCodes.finished;
  });
}

function findSchedule(
  all: readonly ScheduleSummary[],
  name: string,
  tenant: string | undefined,
): ScheduleSummary {
  const matches = all.filter(
    (each) => each.name === name && (tenant === undefined || each.tenant === tenant),
  );
  const [only, another] = matches;
  if (only === undefined) {
    throw new UsageError(
      `Schedule ${JSON.stringify(sanitizeOneLine(name.slice(0, 100)))} does not exist. List the schedules: pawl queue schedules`,
    );
  }
  if (another === undefined) return only;
  const tenants = matches.map((each) => sanitizeOneLine(each.tenant)).join(', ');
  throw new UsageError(`Several tenants have a schedule of that name: ${tenants}. Choose one with --tenant.`);
}

function formatSchedule({ name, tenant, when, goal, next }: ScheduleSummary): string {
  const interval =
    'everyMs' in when ? `every ${formatTimeSpan(when.everyMs)}` : `cron "${when.cron}" ${when.tz ?? 'UTC'}`;
  const nextRun = next === null ? 'not scheduled' : `next ${formatDateTime(next)}`;
  return `${[name, tenant, interval, nextRun].map(sanitizeOneLine).join('  ')}  ${truncateColumns(goal, 60)}\n`;
}
