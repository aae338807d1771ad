import type { Json } from '@pawl/core';
import { jsonrepair } from 'jsonrepair';
import { outlineJson } from './json-segments.ts';
import { createScanSource } from './scan-source.ts';

/** JSON written by a model: parsed as is, parsed after a repair, or null if unreadable. */
export type ParsedJson = { readonly value: Json; readonly isRepaired: boolean } | null;

/**
 * Parses JSON and repairs it if necessary. Use one reader per reply, so that all repairs of a reply share one limit.
 */
export type JsonReader = (text: string) => ParsedJson;

/**
 * The repair budget of one reply. The run time of `jsonrepair` grows with the length and, at worst, with the square of
 * the number of quotes: without a limit, a few thousand apostrophes can take many seconds.
 */
const repairMax = { chars: 32_000, work: 2e9 } as const;

export function createJsonReader(): JsonReader {
  const budget: { chars: number; work: number } = { ...repairMax };
  return (text) => {
    const value = tryParseJson(text);
    if (value !== undefined) return { value, isRepaired: false };
    budget.chars -= text.length;
    if (budget.chars < 0) return null;
    budget.work -= estimateRepairWork(text);
    if (budget.work < 0) return null;
    const repaired = repairJson(text);
    return repaired === undefined ? null : { value: repaired, isRepaired: true };
  };
}

/**
 * Accepts a repair only if nothing was omitted and the result has as many keys, objects and lists as the text: if our
 * scan and `jsonrepair` disagree on that, one of them misread a quote.
 */
function repairJson(text: string): Json | undefined {
  const escaped = preserveBackslashes(text);
  const value = tryParseJson(escaped);
  if (value !== undefined) return value;
  const before = outlineJson(createScanSource(escaped));
  const repair = before.hasGap ? undefined : runJsonRepair(escaped);
  if (repair === undefined) return undefined;
  const after = outlineJson(createScanSource(repair));
  return before.keys === after.keys && before.openings === after.openings ? tryParseJson(repair) : undefined;
}

/** Converts `\d` to `\\d`, which a pattern or a path intends; a repair would drop the backslash. */
function preserveBackslashes(text: string): string {
  return text.replaceAll(/\\(?:u[\da-fA-F]{4}|[^u])?/g, (escape) => {
    return escape.length > 2 || /^\\["\\/bfnrt'`\n]$/.test(escape) ? escape : `\\${escape}`;
  });
}

function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function estimateRepairWork(text: string): number {
  // An `&` may begin an entity that stands for a quote.
  const quotes = text.match(/["'`´‘’“”&\u2018-\u201f]/g)?.length ?? 0;
  return text.length * quotes ** 2;
}

/** `jsonrepair` may also overflow the stack on deep nesting; either way the text is unreadable. */
function runJsonRepair(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}
