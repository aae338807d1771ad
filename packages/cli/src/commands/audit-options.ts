import { auditWith, trackerPresets } from '@pawl/core';
import type { Judge } from './audit-result.ts';
import { oneOf } from '../one-of.ts';
import { decimalNumber } from './option-number.ts';

export const auditFormats = ['report', 'json', 'verdicts'] as const;

export type AuditFormat = (typeof auditFormats)[number];

/** What a million tokens cost; null where nobody said. */
export type Prices = { readonly input: number | null; readonly output: number | null };

export function formatOf(name: string): AuditFormat {
  return oneOf('format', name, auditFormats);
}

/** Judges by the rules of a preset. */
export function judgeOf(name: string): Judge {
  const preset = oneOf('preset', name, trackerPresets);
  return (run) => auditWith(preset, run);
}

export function pricesOf(given: { readonly priceIn?: string; readonly priceOut?: string }): Prices {
  return { input: priceOf('--price-in', given.priceIn), output: priceOf('--price-out', given.priceOut) };
}

function priceOf(option: string, given: string | undefined): number | null {
  return given === undefined ? null : decimalNumber(option, given);
}
