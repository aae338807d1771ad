import type { Rate, TenantLimits } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { withQueue, type QueueFlags } from './queue-place.ts';
import { wholeNumber, timeUnits } from './option-number.ts';
import { checkTenant } from './tenant.ts';

export type LimitFlags = QueueFlags & { readonly concurrency?: string; readonly rate?: string };

/** Says how much of a tenant's work is done at once, and how often it may begin. */
export async function limitTenant(tenant: string, flags: LimitFlags, io: Io): Promise<ExitCode> {
  checkTenant('<tenant>', tenant);
  const asked = limitsOf(flags);
  return withQueue(flags, {}, async ({ queue }) => {
    await queue.limit(tenant, asked);
    const limits = await queue.parts.queues.limits(tenant);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ tenant, limits })}\n`);
    else io.stdout.write(`${visibleLine(tenant)}: ${limitsText(limits) || 'no limit'}\n`);
    return exitCodes.finished;
  });
}

/** Empty where there is no limit. */
export function limitsText({ concurrency, rate }: Required<TenantLimits>): string {
  return [
    ...(concurrency === null ? [] : [`at most ${concurrency} at once`]),
    ...(rate === null ? [] : [`${rate.max} every ${spanText(rate.perMs)}`]),
  ].join(', ');
}

function limitsOf({ concurrency, rate }: LimitFlags): TenantLimits {
  if (concurrency === undefined && rate === undefined) {
    throw new UsageError('Say which limit: --concurrency 4, --rate 100/1h, or "none" for either.');
  }
  return {
    ...(concurrency !== undefined && {
      concurrency: concurrency === 'none' ? null : wholeNumber('--concurrency', concurrency, 1),
    }),
    ...(rate !== undefined && { rate: rate === 'none' ? null : rateOf(rate) }),
  };
}

function rateOf(given: string): Rate {
  const [, max, count = '1', unit] = /^(\d{1,9})\/(\d{1,6})?([smhd])$/.exec(given.trim()) ?? [];
  const perMs = Number(count) * timeUnits[(unit ?? 's') as keyof typeof timeUnits];
  if (max !== undefined && Number(max) > 0 && perMs > 0) return { max: Number(max), perMs };
  throw new UsageError(
    `--rate takes how many in which time, such as 5/s, 100/1h or 1000/d, or "none", and got ${JSON.stringify(given)}.`,
  );
}

/** In the largest unit that needs no fraction. */
export function spanText(ms: number): string {
  const [unit, length] = Object.entries(timeUnits).findLast(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}
