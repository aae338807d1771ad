import type { Json } from '@pawl/core';
import { jsonrepair } from 'jsonrepair';
import { outlineOf } from './json-find.ts';
import { sourceOf } from './source.ts';

/** JSON as a model wrote it: read as it is, read after a repair, or not readable. */
export type ReadJson = { readonly value: Json; readonly isRepaired: boolean } | null;

/** Reads JSON, and repairs it if it must. One reader serves one reply, so that all repairs of a reply share one limit. */
export type JsonReader = (text: string) => ReadJson;

/**
 * What repairing may cost for one reply. The time `jsonrepair` takes grows with the length and, at worst, also with the square
 * of the number of quotes: unguarded, a few thousand apostrophes can keep it busy for many seconds.
 */
const repairMax = { chars: 32_000, work: 2e9 } as const;

export function createJsonReader(): JsonReader {
  const left: { chars: number; work: number } = { ...repairMax };
  return (text) => {
    const value = parsed(text);
    if (value !== undefined) return { value, isRepaired: false };
    left.chars -= text.length;
    if (left.chars < 0) return null;
    left.work -= repairWork(text);
    if (left.work < 0) return null;
    const again = repaired(text);
    return again === undefined ? null : { value: again, isRepaired: true };
  };
}

/**
 * A repair guesses. It is taken only if nothing was left out, and if what comes of it has as many keys, objects and lists as
 * the text: where we and `jsonrepair` differ on that, one of us has misread a quote.
 */
function repaired(text: string): Json | undefined {
  const kept = keepBackslashes(text);
  const value = parsed(kept);
  if (value !== undefined) return value;
  const before = outlineOf(sourceOf(kept));
  const repair = before.hasGap ? undefined : repairOf(kept);
  if (repair === undefined) return undefined;
  const after = outlineOf(sourceOf(repair));
  return before.keys === after.keys && before.openings === after.openings ? parsed(repair) : undefined;
}

/** Makes `\\d` of `\d`, as it was meant in a pattern or a path; a repair would leave the backslash out. */
function keepBackslashes(text: string): string {
  return text.replaceAll(/\\(?:u[\da-fA-F]{4}|[^u])?/g, (escape) => {
    return escape.length > 2 || /^\\["\\/bfnrt'`\n]$/.test(escape) ? escape : `\\${escape}`;
  });
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function repairWork(text: string): number {
  // An `&` may begin an entity that stands for a quote.
  const quotes = text.match(/["'`´‘’“”&\u2018-\u201f]/g)?.length ?? 0;
  return text.length * quotes ** 2;
}

/** Besides its own errors it may run out of stack on deep nesting; either way the text cannot be read. */
function repairOf(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}
