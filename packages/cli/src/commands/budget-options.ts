import type { Budgets } from '@pawl/core';
import { UsageError } from '../usage-error.ts';

/** The limits asked for on the command line; null when there are none. */
export function budgetsOf(options: {
  readonly maxSteps?: string;
  readonly maxSeconds?: string;
}): Budgets | null {
  const modelCalls = positive('--max-steps', options.maxSteps);
  const seconds = positive('--max-seconds', options.maxSeconds);
  if (modelCalls === null && seconds === null) return null;
  return { modelCalls, toolCalls: null, tokens: null, wallMs: seconds === null ? null : seconds * 1_000 };
}

function positive(flag: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < 1) {
    throw new UsageError(`Expected ${flag} to be a whole number from 1 on, got ${JSON.stringify(value)}.`);
  }
  return number;
}
