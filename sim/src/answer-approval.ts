import type { ToolCall } from '@pawl/core';
import type { PermissionDecision } from '@pawl/runtime';
import { getCallMark } from './oracle/session-ledger.ts';
import { drawDelay, waitForScheduler } from './port-call.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

const promptAnswerMs = 30;
const lateAnswerMs = 45_000;

/** Answers an approval request as a user would: at random, sometimes late, sometimes only after the faults end. */
export async function answerApproval(
  world: SimWorld,
  driver: SessionDriver,
  call: ToolCall,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  const { faults, choices, oracle } = world;
  const mark = getCallMark(call.args);
  const answerMs = faults.shouldFail('person-late', 'answer') ? lateAnswerMs : promptAnswerMs;
  const inMs = faults.shouldFail('person-never', 'answer') ? Infinity : answerMs + drawDelay(world, 'person');
  const args = JSON.stringify(call.args);
  await waitForScheduler(
    world,
    { process: driver.process.name, kind: 'person' },
    { name: mark, inMs, signal },
  );
  const decision = choices.choose('answer', (random) => random.below(3)) === 1 ? 'deny' : 'allow';
  if (!signal.aborted) oracle.onAnswered(driver, mark, { decision, args });
  return { decision };
}
