import { seg, type Line, type Style } from './line.ts';

/** A share as a bar: ▰▰▰▱▱▱. What is more than all is shown as all. */
export function bar(share: number, cells: number, style: Style = styleOf(share)): Line {
  const bounded = Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
  const full = Math.min(cells, Math.round(bounded * cells));
  return [seg('▰'.repeat(full), style), seg('▱'.repeat(cells - full), 'dim')];
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(Math.max(share, 0) * 100)} %` : '0 %';
}

/** 1,234,567 */
export function grouped(count: number): string {
  return count.toLocaleString('en-GB', { maximumFractionDigits: 0 });
}

/** Quiet until it is nearly used up. */
function styleOf(share: number): Style {
  if (share >= 0.9) return 'bad';
  return share >= 0.7 ? 'warn' : 'accent';
}
