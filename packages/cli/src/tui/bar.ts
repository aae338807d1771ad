import { createSegment, type StyledLine, type TextStyle } from './styled-line.ts';

/** Renders a fraction as a bar: ▰▰▰▱▱▱. A fraction above 1 fills the bar. */
export function renderBar(share: number, cells: number, style: TextStyle = getBarStyle(share)): StyledLine {
  const bounded = Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
  const full = Math.min(cells, Math.round(bounded * cells));
  return [createSegment('▰'.repeat(full), style), createSegment('▱'.repeat(cells - full), 'dim')];
}

export function formatPercent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(Math.max(share, 0) * 100)} %` : '0 %';
}

/** 1,234,567 */
export function formatInteger(count: number): string {
  return count.toLocaleString('en-GB', { maximumFractionDigits: 0 });
}

/** Neutral until the bar is nearly full. */
function getBarStyle(share: number): TextStyle {
  if (share >= 0.9) return 'bad';
  return share >= 0.7 ? 'warn' : 'accent';
}
