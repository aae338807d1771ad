import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSession, type Json, type Profile, type Settings } from '@pawl/core';
import { thisProcess, withAgentKeys } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { budgetsOf, filledUp, type BudgetFlags } from './budget-options.ts';
import { configOf, withModel } from './config-flags.ts';
import type { ModelFlags } from './model-options.ts';
import { profileNamed } from './profile-option.ts';
import { withQueue, type QueueFlags } from './queue-place.ts';
import { aboutOf } from './run-about.ts';
import { configFor } from './run-config.ts';
import { scheduleGoal, whenOf } from './schedules.ts';
import { spanOf, wholeNumber } from './session-number.ts';
import { checkTenant } from './tenant.ts';

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
  const { profile, about, settings } = await plannedBy(options);
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

/** What the command line and the configuration say a session begins with. */
async function plannedBy(
  options: SubmitOptions,
): Promise<{ readonly profile: string; readonly about: Json; readonly settings: Partial<Settings> }> {
  const dir = realFolder(options.dir);
  const { config } = await configFor(dir, configOf(options), null);
  const name = config.profile ?? 'pawl';
  const { profile } = withAgentKeys(await profileNamed(name), config);
  checkCanBeSubmitted(profile);
  const flags = { ...options, ...withModel(options, config) };
  const budgets = filledUp(filledUp(budgetsOf(options), config.budgets), profile.settings.budgets);
  const about = aboutOf({ ...flags, dir, model: flags.model ?? 'librarian', profile: name });
  return { profile: profile.name, about, settings: { ...profile.settings, budgets } };
}

type Turn = { readonly tenant?: string; readonly priority?: number; readonly delayMs?: number };

const priorityMax = 2_097_151;

function turnOf({ tenant, priority, delay }: SubmitOptions): Turn {
  const place = priority === undefined ? null : wholeNumber('--priority', priority, 1);
  if (place !== null && place > priorityMax) {
    throw new UsageError(`--priority goes up to ${priorityMax}, and got ${JSON.stringify(priority)}.`);
  }
  if (tenant !== undefined) checkTenant('--tenant', tenant);
  return {
    ...(tenant !== undefined && { tenant }),
    ...(place !== null && { priority: place }),
    ...(delay !== undefined && { delayMs: spanOf('--delay', delay) }),
  };
}

/** Those of LKJAgent keep their memory in files of the folder: only one who works there can go on with them. */
function checkCanBeSubmitted({ name, settings }: Profile): void {
  const chart = settings.chart?.name;
  if (chart !== 'lkj' && chart !== 'lkj1') return;
  throw new UsageError(
    `The profile ${name} keeps its memory in files of the folder, which not every worker has. Run it where the folder is: pawl run --profile ${name}`,
  );
}

function realFolder(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    throw new UsageError(`There is no folder ${JSON.stringify(visibleLine(resolve(dir)))}.`);
  }
}
