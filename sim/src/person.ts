import type { Call } from '@pawl/core';
import type { Decision } from '@pawl/runtime';
import { markOf } from './oracle/book.ts';
import { delay, hop } from './port.ts';
import type { Driver, World } from './world.ts';

const promptMs = 30;
const lateMs = 45_000;

/** The person asked for permission: answers by chance, sometimes late, sometimes not before the faults are over. */
export async function decide(
  world: World,
  driver: Driver,
  call: Call,
  signal: AbortSignal,
): Promise<Decision> {
  const { faults, choices, oracle } = world;
  const mark = markOf(call.args);
  const late = faults.strikes('person-late', 'answer') ? lateMs : promptMs;
  const inMs = faults.strikes('person-never', 'answer') ? Infinity : late + delay(world, 'person');
  const args = JSON.stringify(call.args);
  await hop(world, { process: driver.process.name, kind: 'person' }, { name: mark, inMs, signal });
  const decision = choices.choose('answer', (random) => random.below(3)) === 1 ? 'deny' : 'allow';
  if (!signal.aborted) oracle.answered(driver, mark, { decision, args });
  return { decision };
}
