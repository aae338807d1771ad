import type { BudgetLimits } from '@pawl/core';
import { fillMissingBudgets } from '@pawl/runtime/agent-setup';
import { UsageError } from '../output/exit-codes.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { formatUnknownName } from '@pawl/runtime/suggestions';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Parses an integer option. */
export function parseWholeNumberOption(
  option: string,
  value: string,
  min: number,
  max: number | null = null,
): number {
  const number = parseNumber(value);
  if (Number.isSafeInteger(number) && number >= min && number <= (max ?? number)) return number;
  const range = max === null ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${option} must be a whole number ${range}, got ${JSON.stringify(value)}.`);
}

/** Parses a port option; 0 selects any free port. */
export function parsePortOption(option: string, value: string): number {
  return parseWholeNumberOption(option, value, 0, 65_535);
}

/** Parses a non-negative decimal option, such as a price. */
export function parseDecimalOption(option: string, value: string): number {
  const number = parseNumber(value);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(
    `${option} must be a number of at least 0, such as 2.5, got ${JSON.stringify(value)}.`,
  );
}

function parseNumber(value: string): number {
  return value.trim() === '' ? Number.NaN : Number(value);
}

/** Time units in milliseconds. */
export const timeUnitsMs = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;

const longTimeUnitsMs = { ...timeUnitsMs, w: 7 * timeUnitsMs.d } as const;

/** Parses a duration option such as `30d` to milliseconds. */
export function parseTimeSpanOption(option: string, value: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(value.trim()) ?? [];
  if (count !== undefined) return Number(count) * longTimeUnitsMs[unit as 'm' | 'h' | 'd' | 'w'];
  throw new UsageError(
    `${option} must be a time span such as 90m, 12h, 30d or 4w, got ${JSON.stringify(value)}.`,
  );
}

/** Formats a duration in the largest unit that needs no fraction. */
export function formatTimeSpan(ms: number): string {
  const [unit, length] = Object.entries(timeUnitsMs).findLast(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}

/** Budget limits as given on the command line. */
export type BudgetFlags = {
  readonly maxSteps?: string;
  readonly maxToolCalls?: string;
  readonly maxTokens?: string;
  readonly maxCost?: string;
  readonly maxSeconds?: string;
};

/** Parses the budget limits of the command line; null if there are none. */
export function parseBudgetFlags(options: BudgetFlags): BudgetLimits | null {
  const seconds = parseWholeLimit('--max-seconds', options.maxSeconds);
  const budgets: BudgetLimits = {
    modelCalls: parseWholeLimit('--max-steps', options.maxSteps),
    toolCalls: parseWholeLimit('--max-tool-calls', options.maxToolCalls),
    tokens: parseWholeLimit('--max-tokens', options.maxTokens),
    cost: parseCostLimit('--max-cost', options.maxCost),
    wallMs: seconds === null ? null : seconds * 1_000,
  };
  return fillMissingBudgets(budgets, null);
}

function parseWholeLimit(option: string, value: string | undefined): number | null {
  return value === undefined ? null : parseWholeNumberOption(option, value, 1);
}

function parseCostLimit(option: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const amount = parseDecimalOption(option, value);
  if (amount > 0) return amount;
  throw new UsageError(`${option} must be a number greater than 0, got ${JSON.stringify(value)}.`);
}

/** Tenant and schedule names are part of Redis key names. */
export function requireTenantName(option: string, value: string): void {
  if (/^[\w.-]{1,100}$/.test(value)) return;
  throw new UsageError(
    `${option} must be 1 to 100 letters, digits, dots, dashes and underscores, got ${JSON.stringify(sanitizeOneLine(value.slice(0, 100)))}.`,
  );
}

/** Parses a value that must be one of these names. */
export function parseChoice<Name extends string>(kind: string, value: string, names: readonly Name[]): Name {
  const match = names.find((name) => name === value);
  if (match !== undefined) return match;
  throw createUnknownNameError(kind, value, names);
}

export function createUnknownNameError(kind: string, value: string, names: readonly string[]): UsageError {
  return new UsageError(formatUnknownName(kind, value, names));
}

/** Resolves an option to the real path of an existing folder. */
export async function resolveFolder(dir: string): Promise<string> {
  return realpath(dir).catch(() => {
    throw new UsageError(
      `Folder ${JSON.stringify(sanitizeOneLine(resolve(dir)))} does not exist. Check the path.`,
    );
  });
}
