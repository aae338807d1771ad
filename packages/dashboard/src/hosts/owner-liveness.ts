import { getOwnerState } from '@pawl/runtime';

/** Whether the owner of a session may still be alive. Cached because system lookups are slow and lists are long. */
export type OwnerLiveness = { mayBeAlive(owner: string): boolean };

const livenessCacheMs = 500;
const cachedOwnersMax = 10_000;

/** A dead process stays dead, so that result is cached permanently; others are checked again after a short time. */
export function createOwnerLiveness(now: () => number): OwnerLiveness {
  const expiresAt = new Map<string, number>();
  return {
    mayBeAlive(owner) {
      const expiry = expiresAt.get(owner);
      if (expiry === neverExpires) return false;
      if (expiry !== undefined && now() < expiry) return true;
      const isGone = getOwnerState(owner) === 'gone';
      if (expiresAt.size >= cachedOwnersMax) expiresAt.clear();
      expiresAt.set(owner, isGone ? neverExpires : now() + livenessCacheMs);
      return !isGone;
    },
  };
}

const neverExpires = Infinity;
