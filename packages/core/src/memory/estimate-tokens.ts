/*
 * Estimates tokens without a tokenizer. Models split text at words and symbols and, in scripts without spaces, at
 * nearly every character; the estimate does the same. Provider reports calibrate the remaining error.
 */

/** Calibrates estimates to the counts of one model. Plain JSON. */
export type TokenEstimator = { readonly factor: number };

export const initialEstimator: TokenEstimator = { factor: 1 };

/** How far one report moves the factor. */
const learningRate = 0.2;
const factorMin = 0.25;
const factorMax = 4;

export function estimateCalibratedTokens(estimator: TokenEstimator, text: string): number {
  return Math.ceil(estimateTokens(text) * estimator.factor);
}

/**
 * Calibrates with one report: `estimated` is the result of `estimateCalibratedTokens` for text the model counted as
 * `reported`.
 */
export function calibrateEstimator(
  estimator: TokenEstimator,
  estimated: number,
  reported: number,
): TokenEstimator {
  const ratio = reported / estimated;
  if (!Number.isFinite(ratio) || reported < 0 || estimated <= 0) return estimator;
  const factor = estimator.factor * (1 + learningRate * (clampFactor(ratio) - 1));
  return { factor: clampFactor(factor) };
}

/** Estimates tokens in a single pass over the characters. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run: TokenCharacterKind | '' = '';
  let length = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const kind = index < text.length ? classifyCharacter(text.charCodeAt(index)) : '';
    if (kind === run) length += 1;
    else {
      tokens += estimateRunTokens(run, length);
      run = kind;
      length = 1;
    }
  }
  return Math.ceil(tokens);
}

type TokenCharacterKind =
  | 'letter'
  | 'digit'
  | 'space'
  | 'line'
  | 'sign'
  | 'accented'
  | 'ideograph'
  | 'surrogate';

const asciiKinds: readonly TokenCharacterKind[] = Array.from({ length: 0x80 }, (_, code) =>
  classifyAscii(code),
);

function classifyAscii(code: number): TokenCharacterKind {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return 'letter';
  if (/\d/.test(character)) return 'digit';
  if (/[\n\r]/.test(character)) return 'line';
  return /\s/.test(character) ? 'space' : 'sign';
}

function classifyCharacter(code: number): TokenCharacterKind {
  if (code < 0x80) return asciiKinds[code] ?? 'sign';
  if (code >= 0xd800 && code < 0xe000) return 'surrogate';
  const isIdeograph = (code >= 0x2e80 && code < 0xa4d0) || (code >= 0xac00 && code < 0xd7b0);
  return isIdeograph || code >= 0xf900 ? 'ideograph' : 'accented';
}

/** Estimates a run of one character kind. A single space belongs to the following word. */
function estimateRunTokens(kind: TokenCharacterKind | '', length: number): number {
  switch (kind) {
    case 'letter':
      return length <= 7 ? 1 : length / 4.5;
    case 'digit':
      return length / 3;
    case 'space':
      return length === 1 ? 0 : length / 8 + 0.5;
    case 'line':
      return 1;
    case 'sign':
      return length / 1.6;
    case 'accented':
      return length / 1.8;
    case 'ideograph':
      return length * 0.9;
    case 'surrogate':
      return length;
    case '':
      return 0;
    default:
      return kind satisfies never;
  }
}

function clampFactor(ratio: number): number {
  return Math.min(Math.max(ratio, factorMin), factorMax);
}

/** Counts the UTF-8 bytes of a text. A lone surrogate counts as its replacement character. */
export function countUtf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** Returns false for NaN, which `charCodeAt` returns past the end of a text. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/**
 * How full the model's context window is, estimated without its tokenizer: the last count the provider reported, plus
 * estimates of what has been added since, which its reports calibrate. The cost does not depend on the size of the
 * conversation.
 */
export type ContextWindow = {
  readonly tokens: number;
  readonly estimator: TokenEstimator;
  /** Tokens left after the last paging; until more has been added, paging again would free nothing. */
  readonly leftByPaging: number;
};

export const emptyContextWindow: ContextWindow = { tokens: 0, estimator: initialEstimator, leftByPaging: 0 };

/** Above this share the window is too full for a model call, because the reply needs room as well. */
const fullWindowShare = 0.9;

/** Minimum growth since the last paging, as a share of the window. */
const pagingShareMin = 0.1;

export function isWindowFull({ tokens, leftByPaging }: ContextWindow, windowTokens: number): boolean {
  return tokens >= windowTokens * fullWindowShare && tokens - leftByPaging >= windowTokens * pagingShareMin;
}

export function addTextTokens(window: ContextWindow, text: string): ContextWindow {
  return { ...window, tokens: window.tokens + estimateCalibratedTokens(window.estimator, text) };
}
