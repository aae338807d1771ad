import { normalizeFieldName } from './json-fields.ts';
import { createForwardFinder, isWhitespaceCode, skipWhitespace, type ScanSource } from './scan-source.ts';
import { unescapeXml } from './xml-escape.ts';

export type TagAttributes = ReadonlyMap<string, string>;

/** `end` is exclusive. Names are normalized. */
export type XmlToken =
  | ({
      readonly kind: 'open' | 'empty';
      readonly name: string;
      readonly attributes: TagAttributes;
    } & TokenSpan)
  | ({ readonly kind: 'close'; readonly name: string } & TokenSpan)
  /** The beginning of an unfinished tag. */
  | ({ readonly kind: 'broken'; readonly name: string } & TokenSpan)
  | ({ readonly kind: 'comment' } & TokenSpan)
  /** `from` and `to` delimit the text inside. */
  | ({ readonly kind: 'cdata'; readonly from: number; readonly to: number } & TokenSpan);

type TokenSpan = { readonly start: number; readonly end: number };

/**
 * Lists the tags with these names, the comments and the CDATA sections, in one pass. Everything else is text, including
 * other tags, because models write code with `<` and `&`. Tags inside comments are listed, because a comment inside a
 * value is part of the value; tags inside CDATA are not.
 */
export function tokenizeXml(source: ScanSource, names: ReadonlySet<string>): readonly XmlToken[] {
  const tokens: XmlToken[] = [];
  const commentEnd = createForwardFinder(source, '-->');
  let at = source.find('<', 0);
  while (at < source.length) {
    const token = readToken(source, at, { names, commentEnd });
    if (token !== null) tokens.push(token);
    const from = token === null || token.kind === 'comment' ? at + 1 : token.end;
    at = source.find('<', from);
  }
  return tokens;
}

type TokenizeContext = {
  readonly names: ReadonlySet<string>;
  readonly commentEnd: (from: number) => number;
};

function readToken(
  source: ScanSource,
  start: number,
  { names, commentEnd }: TokenizeContext,
): XmlToken | null {
  switch (source.codeAt(start + 1)) {
    case 0x21: // !
      return readMarkup(source, start, commentEnd);
    case 0x2f: // /
      return readCloseTag(source, start, names);
    default:
      return readOpenTag(source, start, names);
  }
}

const cdataStart = '<![CDATA[';

function readMarkup(
  source: ScanSource,
  start: number,
  commentEnd: TokenizeContext['commentEnd'],
): XmlToken | null {
  const markup = source.slice(start, start + cdataStart.length);
  if (markup === cdataStart) {
    const from = start + cdataStart.length;
    const to = source.find(']]>', from);
    return { kind: 'cdata', start, end: Math.min(to + 3, source.length), from, to };
  }
  if (!markup.startsWith('<!--')) return null;
  const end = commentEnd(start + 4);
  return end === source.length ? null : { kind: 'comment', start, end: end + 3 };
}

function readCloseTag(source: ScanSource, start: number, names: ReadonlySet<string>): XmlToken | null {
  const [name, end] = readTagName(source, start + 2);
  if (!names.has(name)) return null;
  const last = skipWhitespace(source, end);
  if (source.codeAt(last) !== 0x3e) return { kind: 'broken', name, start, end: last };
  return { kind: 'close', name, start, end: last + 1 };
}

function readOpenTag(source: ScanSource, start: number, names: ReadonlySet<string>): XmlToken | null {
  const [name, end] = readTagName(source, start + 1);
  if (!names.has(name)) return null;
  const after = source.codeAt(end);
  if (after !== 0x3e && after !== 0x2f && !isWhitespaceCode(after) && after !== -1) return null;
  const attributes = new Map<string, string>();
  let at = end;
  for (;;) {
    at = skipWhitespace(source, at);
    const code = source.codeAt(at);
    if (code === 0x3e) return { kind: 'open', name, attributes, start, end: at + 1 };
    if (code === 0x2f && source.codeAt(at + 1) === 0x3e) {
      return { kind: 'empty', name, attributes, start, end: at + 2 };
    }
    const next = readAttribute(source, at, attributes);
    if (next === at) return { kind: 'broken', name, start, end: Math.max(at, start + 1) };
    at = next;
  }
}

/** No known element has a longer name. */
const tagNameMax = 64;

function readTagName(source: ScanSource, from: number): readonly [name: string, end: number] {
  let end = from;
  while (end - from <= tagNameMax && isNameCode(source.codeAt(end))) end += 1;
  return [normalizeFieldName(source.slice(from, end)), end];
}

/** Letters, digits and `_-.:`. */
function isNameCode(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true;
  if (code >= 0x41 && code <= 0x5a) return true;
  return (code >= 0x30 && code <= 0x3a) || code === 0x5f || code === 0x2d || code === 0x2e;
}

/**
 * Reads one attribute and returns its end, or `start` if there is none. As in XML, an attribute cannot contain `<`;
 * this also prevents an unclosed quote from making the scan of every later tag run to the end of the text.
 */
function readAttribute(source: ScanSource, start: number, attributes: Map<string, string>): number {
  const [name, nameEnd] = readTagName(source, start);
  if (name === '') return start;
  const equals = skipWhitespace(source, nameEnd);
  if (source.codeAt(equals) !== 0x3d) return start;
  const from = skipWhitespace(source, equals + 1);
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
