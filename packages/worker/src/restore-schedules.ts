import { isDeepStrictEqual } from 'node:util';
import { plan, plannedIn, repeatFor, type Planned } from './plan-schedule.ts';
import type { Queues } from './queues.ts';
import { translated } from './redis-error.ts';
import type { BookEntry, Definition, ScheduleBook, ScheduleName } from './schedule-book.ts';
import { checkName, checkWhen } from './when.ts';

type Means = { readonly queues: Queues; readonly book: ScheduleBook; readonly now: number };

/** How long a removed schedule is remembered: far longer than anybody could still be about to put it back. */
const rememberedMs = 30 * 86_400_000;

/** What was set more recently than this may still be on its way to the queue, where whoever set it is putting it. */
const newMs = 5_000;

/** A schedule whose job is later than this, and not there, has lost it. */
const overdueMs = 10_000;

/** How often it is tried while others keep changing the schedule; then the next sweep tries again. */
const triesMax = 5;

/**
 * Makes the queues have the schedules that the book has: puts back what they have lost, takes out what was removed, and
 * notes what the book does not know of. Any number of workers may do it at once. Resolves to those that were put back.
 */
export function restoreSchedules(means: Means): Promise<readonly ScheduleName[]> {
  const { queues, book, now } = means;
  return translated(async () => {
    const entries = await book.all();
    const tenants = new Set([...(await queues.tenants()), ...entries.map(({ tenant }) => tenant)]);
    const restored: ScheduleName[] = [];
    for (const tenant of tenants) {
      const own = entries.filter((each) => each.tenant === tenant);
      const planned = await plannedIn(queues, tenant);
      for (const entry of own) {
        if (await restore(entry, planned.get(entry.name) ?? null, means))
          restored.push({ tenant, name: entry.name });
      }
      const known = new Set(own.map(({ name }) => name));
      for (const { name, definition } of planned.values())
        if (!known.has(name) && definition.template.goal !== '')
          await book.adopt({ tenant, name }, definition);
    }
    await book.clear(entries, now - rememberedMs);
    return restored;
  });
}

/** Resolves to whether it was put back. */
async function restore(entry: BookEntry, planned: Planned | null, means: Means): Promise<boolean> {
  if (await isAsKept(entry, planned, means)) return false;
  let current: BookEntry | null = entry;
  for (let tries = 0; tries < triesMax && current !== null; tries += 1) {
    if (!(await carryOver(current, means))) return false;
    // Somebody may have removed or replaced it meanwhile, and have finished before this did.
    const after: BookEntry | null = await means.book.find(entry);
    if (after?.text === current.text) return current.definition !== null;
    current = after;
  }
  return false;
}

async function isAsKept(
  { name, tenant, definition }: BookEntry,
  planned: Planned | null,
  { queues, now }: Means,
): Promise<boolean> {
  if (definition !== null && definition.from > now - newMs) return true;
  if (definition === null || planned === null) return definition === null && planned === null;
  if (!isDeepStrictEqual(comparable(definition), comparable(planned.definition))) return false;
  const { next } = planned;
  if (next === null || next > now - overdueMs) return true;
  return (await queues.of(tenant).getJob(`repeat:${name}:${next}`)) !== undefined;
}

function comparable({ when, template }: Definition): unknown {
  return [repeatFor(when), template];
}

/** Resolves to whether that could be done: one that is no schedule is left alone. */
async function carryOver({ tenant, name, definition }: BookEntry, { queues, now }: Means): Promise<boolean> {
  if (definition === null) {
    await queues.of(tenant).removeJobScheduler(name);
    return true;
  }
  try {
    checkName(name);
    checkWhen(definition.when);
  } catch {
    return false;
  }
  await plan(queues, { tenant, name, definition }, nextAfter(definition, now));
  return true;
}

/** When it would have come next had it not been lost: it does not begin anew. What goes by the clock needs no help. */
function nextAfter({ when, from }: Definition, now: number): number | undefined {
  if (!('everyMs' in when)) return undefined;
  const { everyMs } = when;
  return from + (Math.floor((now - from) / everyMs) + 1) * everyMs;
}
