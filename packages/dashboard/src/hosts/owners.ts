import { ownerState } from '@pawl/runtime';

/** Whether the process that claimed a session may still be there. Asking the system takes a while, and lists are long. */
export type Owners = { mayBeThere(owner: string): boolean };

const goodForMs = 500;
const knownMax = 10_000;

/** A process that is gone never comes back; others are asked about again after a while. */
export function createOwners(now: () => number): Owners {
  const known = new Map<string, number>();
  return {
    mayBeThere(owner) {
      const until = known.get(owner);
      if (until === goneForGood) return false;
      if (until !== undefined && now() < until) return true;
      const isGone = ownerState(owner) === 'gone';
      if (known.size >= knownMax) known.clear();
      known.set(owner, isGone ? goneForGood : now() + goodForMs);
      return !isGone;
    },
  };
}

const goneForGood = Infinity;
