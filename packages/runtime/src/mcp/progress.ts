import type { Clock } from '../clock.ts';
import { oneLine } from '../schema/one-line.ts';
import type { McpLimits } from './mcp-server.ts';

export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string };

/** Passes on what a server says of its progress, as often as somebody can read it and no more. */
export function reporter(
  report: (progress: string) => void,
  { reports, reportGapMs }: McpLimits,
  clock: Clock,
): (progress: Progress) => void {
  let left = reports;
  let next = 0;
  return (progress) => {
    const now = clock.now();
    if (left === 0 || now < next) return;
    left -= 1;
    next = now + reportGapMs;
    report(inWords(progress));
  };
}

function inWords({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === '' ? count : `${count}: ${oneLine(message, 200)}`;
}
