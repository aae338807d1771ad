import { randomUUID } from 'node:crypto';
import { createSession } from '@pawl/core';
import { thisProcess } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { budgetsOf, type BudgetFlags } from './budget-options.ts';
import type { ModelFlags } from './model-options.ts';
import { withQueue, type QueueFlags } from './queue-place.ts';
import { scheduleGoal, whenOf } from './schedules.ts';
import { spanOf, wholeNumber } from './option-number.ts';
import { checkTenant } from './tenant.ts';
import { planSession } from './session-plan.ts';

export type SubmitOptions = BudgetFlags &
  ModelFlags &
  QueueFlags & {
    readonly profile?: string;
    readonly mode?: string;
    readonly autoCommit?: boolean;
    readonly tenant?: string;
    readonly priority?: string;
    readonly delay?: string;
    readonly every?: string;
    readonly cron?: string;
    readonly tz?: string;
    /** Of the schedule. */
    readonly name?: string;
  };

/** Hands a goal to the workers, and says under which id it is to be found; or by which name it comes again and again. */
export async function submitGoal(goal: string, options: SubmitOptions, io: Io): Promise<ExitCode> {
  if (goal.trim() === '') {
    throw new UsageError('Say what is to be done, for example: pawl submit "How are sessions stored?"');
  }
  const [turn, when] = [turnOf(options), whenOf(options)];
  const { profile, about, settings } = await planSession(options, budgetsOf(options));
  return withQueue(options, { warn: (line) => void io.stderr.write(`${line}\n`) }, async ({ queue }) => {
    if (when !== null) {
      const { tenant, priority } = turn;
      const template = { goal, profile, settings, about, ...(priority !== undefined && { priority }) };
      return scheduleGoal(queue, { name: options.name, tenant, when, template, json: options.json }, io);
    }
    const [id, now] = [randomUUID(), Date.now()];
    const session = createSession({ id, at: now, profile, settings });
    await queue.submit(session, goal, { about, owner: thisProcess(), now, ...turn });
    const { tenant = 'default' } = turn;
    if (options.json === true) io.stdout.write(`${JSON.stringify({ id, tenant })}\n`);
    else {
      io.stdout.write(`${id}\n`);
      io.stderr.write(`Submitted. A worker takes it up: pawl worker. See how it goes: pawl show ${id}\n`);
    }
    return exitCodes.finished;
  });
}

type Turn = { readonly tenant?: string; readonly priority?: number; readonly delayMs?: number };

/** As far as BullMQ counts. */
const priorityMax = 2_097_151;

function turnOf({ tenant, priority, delay }: SubmitOptions): Turn {
  const place = priority === undefined ? null : wholeNumber('--priority', priority, 1, priorityMax);
  if (tenant !== undefined) checkTenant('--tenant', tenant);
  return {
    ...(tenant !== undefined && { tenant }),
    ...(place !== null && { priority: place }),
    ...(delay !== undefined && { delayMs: spanOf('--delay', delay) }),
  };
}
