import { auditWithPreset, trackerPresets } from '@pawl/core';
import type { RunJudge } from './audit-result.ts';
import { parseChoice } from '../parse-choice.ts';
import { parseDecimalOption } from './number-options.ts';

export const auditFormats = ['report', 'json', 'verdicts'] as const;

export type AuditFormat = (typeof auditFormats)[number];

/** Prices per 1M tokens; null if not given. */
export type AuditPrices = { readonly input: number | null; readonly output: number | null };

export function parseAuditFormat(name: string): AuditFormat {
  return parseChoice('format', name, auditFormats);
}

/** Creates a judge that applies the rules of a preset. */
export function createRunJudge(name: string): RunJudge {
  const preset = parseChoice('preset', name, trackerPresets);
  return (run) => auditWithPreset(preset, run);
}

export function parseAuditPrices(options: {
  readonly priceIn?: string;
  readonly priceOut?: string;
}): AuditPrices {
  return {
    input: parsePrice('--price-in', options.priceIn),
    output: parsePrice('--price-out', options.priceOut),
  };
}

function parsePrice(option: string, value: string | undefined): number | null {
  return value === undefined ? null : parseDecimalOption(option, value);
}
