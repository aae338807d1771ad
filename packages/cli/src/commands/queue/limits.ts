import type { TenantRate, TenantLimits } from '@pawl/worker';
import { exitCodes, type ExitCode, UsageError } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { withQueue, type QueueFlags } from '../../queue/queue-connection.ts';
import { formatTimeSpan, parseWholeNumberOption, timeUnitsMs } from '../../options/number-options.ts';
import { requireTenantName } from '../../options/tenant.ts';

export type TenantLimitFlags = QueueFlags & { readonly concurrency?: string; readonly rate?: string };

/** Sets a tenant's concurrency and rate limits. */
export async function setTenantLimits(
  tenant: string,
  flags: TenantLimitFlags,
  io: CommandIo,
): Promise<ExitCode> {
  requireTenantName('<tenant>', tenant);
  const newLimits = parseTenantLimits(flags);
  return withQueue(flags, {}, async ({ queue }) => {
    await queue.limit(tenant, newLimits);
    const limits = await queue.parts.queues.limits(tenant);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ tenant, limits })}\n`);
    else io.stdout.write(`${sanitizeOneLine(tenant)}: ${formatTenantLimits(limits) || 'no limit'}\n`);
    return exitCodes.finished;
  });
}

/** Empty if there is no limit. */
export function formatTenantLimits({ concurrency, rate }: Required<TenantLimits>): string {
  return [
    ...(concurrency === null ? [] : [`at most ${concurrency} at once`]),
    ...(rate === null ? [] : [`${rate.max} every ${formatTimeSpan(rate.perMs)}`]),
  ].join(', ');
}

function parseTenantLimits({ concurrency, rate }: TenantLimitFlags): TenantLimits {
  if (concurrency === undefined && rate === undefined) {
    throw new UsageError('Specify a limit: --concurrency 4, --rate 100/1h, or "none" for either.');
  }
  return {
    ...(concurrency !== undefined && {
      concurrency: concurrency === 'none' ? null : parseWholeNumberOption('--concurrency', concurrency, 1),
    }),
    ...(rate !== undefined && { rate: rate === 'none' ? null : parseRate(rate) }),
  };
}

function parseRate(value: string): TenantRate {
  const [, max, count = '1', unit] = /^(\d{1,9})\/(\d{1,6})?([smhd])$/.exec(value.trim()) ?? [];
  const perMs = Number(count) * timeUnitsMs[(unit ?? 's') as keyof typeof timeUnitsMs];
  if (max !== undefined && Number(max) > 0 && perMs > 0) return { max: Number(max), perMs };
  throw new UsageError(
    `--rate must be a count per time span, such as 5/s, 100/1h or 1000/d, or "none", got ${JSON.stringify(value)}.`,
  );
}
