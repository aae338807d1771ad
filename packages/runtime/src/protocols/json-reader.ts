import type { Json } from '@pawl/core';
import { jsonrepair } from 'jsonrepair';
import {
  createScanSource,
  createForwardFinder,
  isWhitespaceCode,
  skipWhitespace,
  type ScanSource,
} from './scan-source.ts';

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

export function tryParseJson(text: string): Json | undefined {
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

/** A section of a text that may be JSON; `end` is exclusive. */
export type JsonSegment = {
  readonly start: number;
  readonly end: number;
  /**
   * `closed` the brackets match · `fenced` they do not, but the surrounding code block is closed, so only a bracket is
   * missing · `cut` the text ends before the brackets close.
   */
  readonly ending: 'closed' | 'fenced' | 'cut';
};

/**
 * Finds the outermost objects and lists of objects in a text, from left to right. A `cut` segment is always the last.
 */
export function* findJsonSegments(source: ScanSource): Generator<JsonSegment> {
  const brace = createForwardFinder(source, '{');
  const bracket = createForwardFinder(source, '[');
  let at = 0;
  while (at < source.length) {
    const start = Math.min(brace(at), bracket(at));
    if (start === source.length) return;
    if (isLikelyStart(source, start)) {
      const segment = scanJsonSegment(source, start);
      yield segment;
      at = segment.end;
    } else {
      at = start + 1;
    }
  }
}

/** Scans from an opening bracket to its closing bracket. */
export function scanJsonSegment(source: ScanSource, start: number): JsonSegment {
  const isFenced = fencePattern.test(source.slice(Math.max(0, start - fenceLookBehindChars), start));
  let depth = 0;
  let before = 0;
  for (let at = start; at < source.length; at += 1) {
    const code = source.codeAt(at);
    if (isWhitespaceCode(code)) continue;
    if (code === quote || (code === apostrophe && opensValue(before))) {
      at = findStringEnd(source, at, code);
    } else if (isFenced && code === backtick && source.slice(at - 1, at + 3) === '\n```') {
      return { start, end: at, ending: 'fenced' };
    } else {
      depth += getDepthChange(code);
      if (depth === 0) return { start, end: at + 1, ending: 'closed' };
    }
    before = code;
  }
  return { start, end: source.length, ending: 'cut' };
}

const [quote, apostrophe, backtick, backslash] = [0x22, 0x27, 0x60, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [colon, comma, dot, ellipsis] = [0x3a, 0x2c, 0x2e, 0x2026];

/** Structural facts about JSON text that need no parsing. */
type JsonOutline = {
  readonly openings: number;
  readonly keys: number;
  /**
   * Whether something is missing that a repair would invent or drop: a value after a key, or elided content ("...").
   */
  readonly hasGap: boolean;
};

function outlineJson(source: ScanSource): JsonOutline {
  let [openings, keys, hasGap, before] = [0, 0, false, 0];
  for (let at = 0; at < source.length; at += 1) {
    const code = source.codeAt(at);
    if (isWhitespaceCode(code)) continue;
    hasGap ||= before === colon && endsValue(code);
    hasGap ||= code === ellipsis || (code === dot && source.slice(at, at + 3) === '...');
    openings += Number(getDepthChange(code) === 1);
    keys += Number(code === colon);
    if (code === quote || (code === apostrophe && opensValue(before))) at = findStringEnd(source, at, code);
    before = code;
  }
  return { openings, keys, hasGap: hasGap || before === colon };
}

function getDepthChange(code: number): number {
  if (code === openBrace || code === openBracket) return 1;
  return code === closeBrace || code === closeBracket ? -1 : 0;
}

/** The line that opens a code block, directly before the JSON. */
const fencePattern = /```[\w-]{0,20}\s*$/;
const fenceLookBehindChars = 60;

/** After one of these characters a quote begins a string; elsewhere an apostrophe is plain text. */
function opensValue(code: number): boolean {
  return code === openBrace || code === openBracket || code === colon || code === comma;
}

/**
 * Finds the quote that ends a string. Models forget to escape quotes, so a quote followed by a character that cannot
 * follow a string counts as part of the string.
 */
function findStringEnd(source: ScanSource, start: number, quoteCode: number): number {
  let at = start + 1;
  while (at < source.length) {
    const code = source.codeAt(at);
    if (code === backslash) {
      at += 2;
      continue;
    }
    if (code === quoteCode) {
      const next = source.codeAt(skipWhitespace(source, at + 1));
      if (next === -1 || endsValue(next)) return at;
    }
    at += 1;
  }
  return at;
}

function endsValue(code: number): boolean {
  return code === comma || code === colon || code === closeBrace || code === closeBracket;
}

/**
 * An object begins with a key or a comment, and a list of calls with an object. Braces in prose and code usually do
 * not.
 */
function isLikelyStart(source: ScanSource, start: number): boolean {
  const at = skipWhitespace(source, start + 1);
  const code = source.codeAt(at);
  if (source.codeAt(start) === openBracket) return code === openBrace;
  if (code === quote || code === apostrophe) return true;
  return /^(?:[\w-]{1,40}\s{0,4}:|\/[/*])/.test(source.slice(at, at + 50));
}
