import { randomUUID } from 'node:crypto';
import { createSession } from '@pawl/core';
import type { ModelFlags } from '@pawl/runtime/agent-setup';
import { getProcessOwner } from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import {
  parseBudgetFlags,
  type BudgetFlags,
  parseTimeSpanOption,
  parseWholeNumberOption,
  requireTenantName,
} from '../../options/parse-options.ts';
import { withQueue, type QueueFlags } from '../../queue/queue-connection.ts';
import { scheduleGoal, parseScheduleTime } from '../../queue/schedules.ts';
import { planSession } from '../../sessions/session-plan.ts';

export type SubmitGoalOptions = BudgetFlags &
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
    /** Name of the schedule. */
    readonly name?: string;
  };

/** Submits a goal to the workers and prints the session id, or schedules it and prints the schedule's name. */
export async function submitGoal(goal: string, options: SubmitGoalOptions, io: CommandIo): Promise<ExitCode> {
  if (goal.trim() === '') {
    throw new UsageError('Enter a goal, for example: pawl submit "How are sessions stored?"');
  }
  const [placement, timing] = [parseQueuePlacement(options), parseScheduleTime(options)];
  const { profile, metadata, settings } = await planSession(options, parseBudgetFlags(options));
  return withQueue(options, { warn: (line) => void io.stderr.write(`${line}\n`) }, async ({ queue }) => {
    if (timing !== null) {
      const { tenant, priority } = placement;
      const template = {
        goal,
        profile,
        settings,
        metadata,
        ...(priority !== undefined && { priority }),
      };
      return scheduleGoal(queue, { name: options.name, tenant, timing, template, json: options.json }, io);
    }
    const [id, now] = [randomUUID(), Date.now()];
    const session = createSession({ id, at: now, profile, settings });
    await queue.submit(session, goal, { metadata, owner: getProcessOwner(), now, ...placement });
    const { tenant = 'default' } = placement;
    if (options.json === true) io.stdout.write(`${JSON.stringify({ id, tenant })}\n`);
    else {
      io.stdout.write(`${id}\n`);
      io.stderr.write(`Submitted. A worker (pawl worker) will run it. Show its progress: pawl show ${id}\n`);
    }
    return exitCodes.finished;
  });
}

type QueuePlacement = { readonly tenant?: string; readonly priority?: number; readonly delayMs?: number };

/** The maximum priority of BullMQ. */
const maxPriority = 2_097_151;

function parseQueuePlacement({ tenant, priority, delay }: SubmitGoalOptions): QueuePlacement {
  const priorityValue =
    priority === undefined ? null : parseWholeNumberOption('--priority', priority, 1, maxPriority);
  if (tenant !== undefined) requireTenantName('--tenant', tenant);
  return {
    ...(tenant !== undefined && { tenant }),
    ...(priorityValue !== null && { priority: priorityValue }),
    ...(delay !== undefined && { delayMs: parseTimeSpanOption('--delay', delay) }),
  };
}
