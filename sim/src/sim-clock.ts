import type { RuntimeClock } from '@pawl/runtime';
import { waitForScheduler } from './port-call.ts';
import type { SimProcess, SimWorld } from './sim-world.ts';

/** A realistic date, because a clock that starts at 0 would hide bugs with dates. */
const clockStart = 1_700_000_000_000;

/** The clock of a process. Its wall-clock time may drift and jump; timers count elapsed time and are unaffected. */
export function createSimClock(world: SimWorld, process: SimProcess): RuntimeClock {
  const { scheduler } = world;
  const now = (): number => Math.round(clockStart + scheduler.now * process.drift + process.offsetMs);
  return {
    now,
    sleepUntil: (at, signal) =>
      waitForScheduler(
        world,
        { process: process.name, kind: 'clock' },
        { name: 'until', inMs: Math.max(0, at - now()), signal },
      ),
  };
}
