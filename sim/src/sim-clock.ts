import type { Clock } from '@pawl/runtime';
import { hop } from './port.ts';
import type { SimProcess, World } from './world.ts';

/** Some day; a clock that starts at 0 would hide mistakes with dates. */
const beginning = 1_700_000_000_000;

/**
 * The clock of a process. What it shows may run fast and be set; how long it waits is another matter, since a timer counts
 * the time that goes by.
 */
export function clockOf(world: World, process: SimProcess): Clock {
  const { scheduler } = world;
  const now = (): number => Math.round(beginning + scheduler.now * process.drift + process.shift);
  return {
    now,
    until: (at, signal) =>
      hop(
        world,
        { process: process.name, kind: 'clock' },
        { name: 'until', inMs: Math.max(0, at - now()), signal },
      ),
  };
}
