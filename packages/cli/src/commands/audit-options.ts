import { auditWith, trackerPresets } from '@pawl/core';
import { didYouMean } from '../did-you-mean.ts';
import { UsageError } from '../usage-error.ts';
import type { Judge } from './audit-result.ts';

export const auditFormats = ['report', 'json', 'verdicts'] as const;

export type AuditFormat = (typeof auditFormats)[number];

/** What a million tokens cost; null where nobody said. */
export type Prices = { readonly input: number | null; readonly output: number | null };

export function formatOf(name: string): AuditFormat {
  const format = auditFormats.find((each) => each === name);
  if (format !== undefined) return format;
  const hint = didYouMean(name, auditFormats);
  throw new UsageError(
    `There is no format ${JSON.stringify(name)}.${hint} There are: ${auditFormats.join(', ')}.`,
  );
}

/** Judges by the rules of a preset. */
export function judgeOf(name: string): Judge {
  const preset = trackerPresets.find((each) => each === name);
  if (preset !== undefined) return (run) => auditWith(preset, run);
  const hint = didYouMean(name, trackerPresets);
  throw new UsageError(
    `There is no preset ${JSON.stringify(name)}.${hint} There are: ${trackerPresets.join(', ')}.`,
  );
}

export function pricesOf(given: { readonly priceIn?: string; readonly priceOut?: string }): Prices {
  return { input: priceOf('--price-in', given.priceIn), output: priceOf('--price-out', given.priceOut) };
}

function priceOf(option: string, given: string | undefined): number | null {
  if (given === undefined) return null;
  const price = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isFinite(price) && price >= 0) return price;
  throw new UsageError(
    `${option} takes the price of a million tokens as a number, for example 2.5, and got ${JSON.stringify(given)}.`,
  );
}
