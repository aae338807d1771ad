/*
 * Tokens of a text without a tokenizer. Models cut text at words, signs and, in scripts without spaces, nearly at every
 * character; the estimate does the same. What is left of its error is learnt from what providers report.
 */

/** Turns estimates into what one model counts. Plain JSON. */
export type Estimator = { readonly factor: number };

export const freshEstimator: Estimator = { factor: 1 };

/** How far one report moves the factor. */
const weight = 0.2;
const factorMin = 0.25;
const factorMax = 4;

export function estimate(estimator: Estimator, text: string): number {
  return Math.ceil(estimateTokens(text) * estimator.factor);
}

/** Learns from one report: `estimated` is what `estimate` said of what the model counted as `reported`. */
export function correct(estimator: Estimator, estimated: number, reported: number): Estimator {
  const ratio = reported / estimated;
  if (!Number.isFinite(ratio) || reported < 0 || estimated <= 0) return estimator;
  const learnt = estimator.factor * (1 + weight * (bounded(ratio) - 1));
  return { factor: bounded(learnt) };
}

/** Reads each character once. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run: Kind | '' = '';
  let length = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const kind = index < text.length ? kindOf(text.charCodeAt(index)) : '';
    if (kind === run) length += 1;
    else {
      tokens += runTokens(run, length);
      run = kind;
      length = 1;
    }
  }
  return Math.ceil(tokens);
}

type Kind = 'letter' | 'digit' | 'space' | 'line' | 'sign' | 'accented' | 'ideograph' | 'surrogate';

const asciiKinds: readonly Kind[] = Array.from({ length: 0x80 }, (_, code) => asciiKind(code));

function asciiKind(code: number): Kind {
  const sign = String.fromCharCode(code);
  if (/[A-Za-z]/.test(sign)) return 'letter';
  if (/\d/.test(sign)) return 'digit';
  if (/[\n\r]/.test(sign)) return 'line';
  return /\s/.test(sign) ? 'space' : 'sign';
}

function kindOf(code: number): Kind {
  if (code < 0x80) return asciiKinds[code] ?? 'sign';
  if (code >= 0xd800 && code < 0xe000) return 'surrogate';
  const isIdeograph = (code >= 0x2e80 && code < 0xa4d0) || (code >= 0xac00 && code < 0xd7b0);
  return isIdeograph || code >= 0xf900 ? 'ideograph' : 'accented';
}

/** A run of one kind. A single space belongs to the word behind it. */
function runTokens(kind: Kind | '', length: number): number {
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

function bounded(ratio: number): number {
  return Math.min(Math.max(ratio, factorMin), factorMax);
}
