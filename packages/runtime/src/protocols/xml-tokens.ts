import { plainName } from './fields.ts';
import { finder, isSpace, skipSpace, type Source } from './source.ts';
import { unescapeXml } from './xml-escape.ts';

export type Attributes = ReadonlyMap<string, string>;

/** `end` is the place after the last character. Names are plain names. */
export type Token =
  | ({ readonly kind: 'open' | 'empty'; readonly name: string; readonly attributes: Attributes } & Span)
  | ({ readonly kind: 'close'; readonly name: string } & Span)
  /** The beginning of a tag that has no end. */
  | ({ readonly kind: 'broken'; readonly name: string } & Span)
  | ({ readonly kind: 'comment' } & Span)
  /** `from` and `to` are the ends of the text in it. */
  | ({ readonly kind: 'cdata'; readonly from: number; readonly to: number } & Span);

type Span = { readonly start: number; readonly end: number };

/**
 * The tags with these names, the comments and the CDATA sections, in one pass. Everything else is text, other tags included:
 * models write code with `<` and `&` in it. Tags inside comments are listed, since a comment inside a value is part of the
 * value; tags inside CDATA are not.
 */
export function tokenise(source: Source, names: ReadonlySet<string>): readonly Token[] {
  const tokens: Token[] = [];
  const commentEnd = finder(source, '-->');
  let at = source.find('<', 0);
  while (at < source.length) {
    const token = tokenAt(source, at, { names, commentEnd });
    if (token !== null) tokens.push(token);
    const goOn = token === null || token.kind === 'comment' ? at + 1 : token.end;
    at = source.find('<', goOn);
  }
  return tokens;
}

type Known = {
  readonly names: ReadonlySet<string>;
  readonly commentEnd: (from: number) => number;
};

function tokenAt(source: Source, start: number, { names, commentEnd }: Known): Token | null {
  switch (source.codeAt(start + 1)) {
    case 0x21: // !
      return markedAt(source, start, commentEnd);
    case 0x2f: // /
      return closeAt(source, start, names);
    default:
      return openAt(source, start, names);
  }
}

const cdataStart = '<![CDATA[';

function markedAt(source: Source, start: number, commentEnd: Known['commentEnd']): Token | null {
  const mark = source.slice(start, start + cdataStart.length);
  if (mark === cdataStart) {
    const from = start + cdataStart.length;
    const to = source.find(']]>', from);
    return { kind: 'cdata', start, end: Math.min(to + 3, source.length), from, to };
  }
  if (!mark.startsWith('<!--')) return null;
  const end = commentEnd(start + 4);
  return end === source.length ? null : { kind: 'comment', start, end: end + 3 };
}

function closeAt(source: Source, start: number, names: ReadonlySet<string>): Token | null {
  const [name, end] = nameAt(source, start + 2);
  if (!names.has(name)) return null;
  const last = skipSpace(source, end);
  if (source.codeAt(last) !== 0x3e) return { kind: 'broken', name, start, end: last };
  return { kind: 'close', name, start, end: last + 1 };
}

function openAt(source: Source, start: number, names: ReadonlySet<string>): Token | null {
  const [name, end] = nameAt(source, start + 1);
  if (!names.has(name)) return null;
  const after = source.codeAt(end);
  if (after !== 0x3e && after !== 0x2f && !isSpace(after) && after !== -1) return null;
  const attributes = new Map<string, string>();
  let at = end;
  for (;;) {
    at = skipSpace(source, at);
    const code = source.codeAt(at);
    if (code === 0x3e) return { kind: 'open', name, attributes, start, end: at + 1 };
    if (code === 0x2f && source.codeAt(at + 1) === 0x3e) {
      return { kind: 'empty', name, attributes, start, end: at + 2 };
    }
    const next = attributeAt(source, at, attributes);
    if (next === at) return { kind: 'broken', name, start, end: Math.max(at, start + 1) };
    at = next;
  }
}

/** No element of ours has a longer name. */
const nameMax = 64;

function nameAt(source: Source, from: number): readonly [name: string, end: number] {
  let end = from;
  while (end - from <= nameMax && isNameCode(source.codeAt(end))) end += 1;
  return [plainName(source.slice(from, end)), end];
}

/** Letters, digits and `_-.:`. */
function isNameCode(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true;
  if (code >= 0x41 && code <= 0x5a) return true;
  return (code >= 0x30 && code <= 0x3a) || code === 0x5f || code === 0x2d || code === 0x2e;
}

/**
 * Reads one attribute and says where it ends: where it began if there is none. As in XML, no `<` may stand in it; that is
 * also why a quote left open cannot make the scan of every later tag run to the end of the text.
 */
function attributeAt(source: Source, start: number, attributes: Map<string, string>): number {
  const [name, nameEnd] = nameAt(source, start);
  if (name === '') return start;
  const equals = skipSpace(source, nameEnd);
  if (source.codeAt(equals) !== 0x3d) return start;
  const from = skipSpace(source, equals + 1);
  const quote = source.codeAt(from);
  if (quote !== 0x22 && quote !== 0x27) return start;
  let to = from + 1;
  for (let code = source.codeAt(to); code !== quote; code = source.codeAt(to)) {
    if (code === 0x3c || code === -1) return start;
    to += 1;
  }
  if (!attributes.has(name)) attributes.set(name, unescapeXml(source.slice(from + 1, to)));
  return to + 1;
}
