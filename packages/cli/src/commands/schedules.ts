import { randomUUID } from 'node:crypto';
import type { Schedule, SessionQueue, Template, When } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { spanText } from './queue-limit.ts';
import { withQueue, type QueueFlags } from './queue-place.ts';
import { spanOf } from './option-number.ts';
import { dateTime } from './show-time.ts';
import { checkTenant } from './tenant.ts';
import { fit } from './columns.ts';

type WhenFlags = {
  readonly every?: string;
  readonly cron?: string;
  readonly tz?: string;
  readonly name?: string;
  readonly delay?: string;
};

/** Null for a goal that is submitted once. */
export function whenOf({ every, cron, tz, name, delay }: WhenFlags): When | null {
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
  return { everyMs: spanOf('--every', every ?? '') };
}

type Scheduling = {
  readonly name: string | undefined;
  readonly tenant: string | undefined;
  readonly when: When;
  readonly template: Template;
  readonly json: boolean | undefined;
};

/** Has a goal submitted again and again, under a name; the same name again replaces it. */
export async function scheduleGoal(
  { schedules }: SessionQueue,
  { name = `schedule-${randomUUID().slice(0, 8)}`, tenant = 'default', when, template, json }: Scheduling,
  io: Io,
): Promise<ExitCode> {
  checkTenant('--name', name);
  const next = await schedules.set(name, when, template, tenant);
  if (json === true) io.stdout.write(`${JSON.stringify({ name, tenant, next })}\n`);
  else {
    io.stdout.write(`${name}\n`);
    io.stderr.write(`Scheduled, first at ${dateTime(next)}. End it with: pawl queue unschedule ${name}\n`);
  }
  return exitCodes.finished;
}

/** Lists what comes again and again, and when next. */
export function listSchedules(flags: QueueFlags, io: Io): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ queue }) => {
    const all = await queue.schedules.all();
    if (flags.json === true) for (const each of all) io.stdout.write(`${JSON.stringify(each)}\n`);
    else io.stdout.write(all.map(scheduleLine).join(''));
    if (all.length === 0) io.stderr.write('Nothing is scheduled. pawl submit --every 6h "…" does that.\n');
    return exitCodes.finished;
  });
}

/** Ends a schedule. What it has begun goes on. */
export function unschedule(
  name: string,
  flags: QueueFlags & { readonly tenant?: string },
  io: Io,
): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ queue }) => {
    const { tenant } = scheduleNamed(await queue.schedules.all(), name, flags.tenant);
    const removed = await queue.schedules.remove(name, tenant);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ name, tenant, removed })}\n`);
    else io.stdout.write(`${visibleLine(name)} comes no more. What it has begun goes on.\n`);
    return exitCodes.finished;
  });
}

function scheduleNamed(all: readonly Schedule[], name: string, tenant: string | undefined): Schedule {
  const meant = all.filter((each) => each.name === name && (tenant === undefined || each.tenant === tenant));
  const [only, another] = meant;
  if (only === undefined) {
    throw new UsageError(
      `There is no schedule ${JSON.stringify(visibleLine(name.slice(0, 100)))}. List them: pawl queue schedules`,
    );
  }
  if (another === undefined) return only;
  const tenants = meant.map((each) => visibleLine(each.tenant)).join(', ');
  throw new UsageError(`Several tenants have one of that name: ${tenants}. Say whose with --tenant.`);
}

function scheduleLine({ name, tenant, when, goal, next }: Schedule): string {
  const rhythm =
    'everyMs' in when ? `every ${spanText(when.everyMs)}` : `cron "${when.cron}" ${when.tz ?? 'UTC'}`;
  const soon = next === null ? 'not planned' : `next ${dateTime(next)}`;
  return `${[name, tenant, rhythm, soon].map(visibleLine).join('  ')}  ${fit(goal, 60)}\n`;
}
