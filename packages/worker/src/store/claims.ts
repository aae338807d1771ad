import type { SessionRow, SessionSummary } from '@pawl/runtime';

/** Somebody took a session up, or took it over. */
export type Claim = {
  readonly owner: string;
  /** When, in milliseconds. */
  readonly at: number;
  /** After which event, and what was going on there. */
  readonly head: number;
  readonly status: SessionSummary['status'];
};

/** A claim as it is kept; Redis puts the time before it, so that all times are of one clock. */
export function claimText({ owner, head, summary: { status } }: SessionRow): string {
  return JSON.stringify({ owner, head, status });
}

/** Null for what is none: it only serves to tell people what happened. */
export function readClaim(line: string): Claim | null {
  try {
    const space = line.indexOf(' ');
    const { owner, head, status } = Object(JSON.parse(line.slice(space + 1))) as Partial<Claim>;
    const at = Number(line.slice(0, space));
    const isWhole = typeof owner === 'string' && typeof head === 'number' && typeof status === 'string';
    return isWhole && Number.isFinite(at) ? { owner, at, head, status } : null;
  } catch {
    return null;
  }
}
