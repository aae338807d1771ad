import type { RuntimeClock } from '../platform/clock.ts';
import { toPrintableLine } from '../text/one-line.ts';
import type { McpLimits } from './mcp-server.ts';

export type McpProgress = { readonly progress: number; readonly total?: number; readonly message?: string };

/** Forwards progress notifications, limited in rate and number. */
export function createMcpProgressReporter(
  report: (progress: string) => void,
  { reports, reportGapMs }: McpLimits,
  clock: RuntimeClock,
): (progress: McpProgress) => void {
  let remaining = reports;
  let nextAt = 0;
  return (progress) => {
    const now = clock.now();
    if (remaining === 0 || now < nextAt) return;
    remaining -= 1;
    nextAt = now + reportGapMs;
    report(formatMcpProgress(progress));
  };
}

function formatMcpProgress({ progress, total, message }: McpProgress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === '' ? count : `${count}: ${toPrintableLine(message, 200)}`;
}
