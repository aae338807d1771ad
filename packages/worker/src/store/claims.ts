import type { SessionClaim } from '@pawl/runtime';
import type { NewClaim } from './buffered-rows.ts';

/** Serializes a claim; Redis prepends the time, so that all times come from one clock. */
export function serializeClaim(claim: NewClaim | null): string {
  return claim === null ? '' : JSON.stringify(claim);
}

/** Returns null for an invalid line, because claims are only informational. */
export function parseClaim(line: string): SessionClaim | null {
  try {
    const space = line.indexOf(' ');
    const { owner, head, status } = Object(JSON.parse(line.slice(space + 1))) as Partial<SessionClaim>;
    const at = Number(line.slice(0, space));
    const isWhole = typeof owner === 'string' && typeof head === 'number' && typeof status === 'string';
    return isWhole && Number.isFinite(at) ? { owner, at, head, status } : null;
  } catch {
    return null;
  }
}
