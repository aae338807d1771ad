import type { Claim } from '@pawl/runtime';
import type { NewClaim } from './draft.ts';

/** A claim as it is kept; Redis puts the time before it, so that all times are of one clock. */
export function claimText(claim: NewClaim | null): string {
  return claim === null ? '' : JSON.stringify(claim);
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
