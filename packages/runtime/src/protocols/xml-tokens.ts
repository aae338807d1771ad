import { normalizeFieldName } from './json-fields.ts';
import { createForwardFinder, isWhitespaceCode, skipWhitespace, type ScanSource } from './scan-source.ts';

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

/** The five predefined XML entities. No others are supported, so entity expansion cannot grow the text. */
const xmlEntities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Resolves the predefined entities and numeric references once. Any other `&` is literal. */
function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:([a-z]{2,4})|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, ...groups: unknown[]) => {
      const [name, decimal, hex] = groups as readonly (string | undefined)[];
      if (name !== undefined) return xmlEntities.get(name) ?? whole;
      return (
        toXmlCharacter(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)) ?? whole
      );
    },
  );
}

/** Excludes characters that text cannot contain: surrogates and control characters. */
function toXmlCharacter(code: number): string | undefined {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return undefined;
  return String.fromCodePoint(code);
}

/** Escapes text for an element, so that it reads back unchanged. Text that needs no escaping stays readable. */
export function toElementText(text: string): string {
  if (!/[<&]/.test(text) && text === text.trim()) return text;
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Escapes text so that it cannot contain a tag. */
export function escapeXmlText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The text of an element: verbatim except for one line break at either end, and fully trimmed. */
export type FieldText = { readonly text: string; readonly trimmed: string };

/** A text-only element, the position where it ends, and the index of the token after it. */
type TextElement = FieldText & { readonly end: number; readonly next: number };

/** The tokens of a text with precomputed lookups by token index. */
export type TokenTable = {
  readonly source: ScanSource;
  readonly tokens: readonly XmlToken[];
  /** The next agent or action tag; it ends an unclosed element in an action. */
  readonly nextEdge: Int32Array;
  /** The next agent tag; it ends an unclosed element in an agent, because a note may mention an action. */
  readonly nextAgent: Int32Array;
  /** For an opening tag, the next closing tag of the same name. */
  readonly closing: Int32Array;
  /** The next tag of any kind. */
  readonly nextTag: Int32Array;
};

/** Builds all lookups in one backward pass, so that no tag needs its own search. */
export function buildTokenTable(source: ScanSource, tokens: readonly XmlToken[]): TokenTable {
  const count = tokens.length;
  const nextEdge = new Int32Array(count + 1).fill(count);
  const nextAgent = new Int32Array(count + 1).fill(count);
  const nextTag = new Int32Array(count + 1).fill(count);
  const closing = new Int32Array(count + 1).fill(count);
  const lastClosed = new Map<string, number>();
  for (let index = count - 1; index >= 0; index -= 1) {
    const token = tokens[index] as XmlToken;
    const name = getTagName(token);
    nextAgent[index] = name === 'agent' ? index : (nextAgent[index + 1] ?? count);
    nextEdge[index] =
      name === 'action' ? index : Math.min(nextAgent[index] ?? count, nextEdge[index + 1] ?? count);
    nextTag[index] = name === null ? (nextTag[index + 1] ?? count) : index;
    if (token.kind === 'close') lastClosed.set(token.name, index);
    if (token.kind === 'open') closing[index] = lastClosed.get(token.name) ?? count;
  }
  return { source, tokens, nextEdge, nextAgent, closing, nextTag };
}

function getTagName(token: XmlToken): string | null {
  return token.kind === 'open' || token.kind === 'close' || token.kind === 'empty' ? token.name : null;
}

/** Returns the index of the first token after a comment. */
export function skipComment(tokens: readonly XmlToken[], index: number): number {
  const end = tokens[index]?.end ?? 0;
  let next = index + 1;
  while (next < tokens.length && (tokens[next] as XmlToken).start < end) next += 1;
  return next;
}

/**
 * Reads the element that begins at this tag. If it closes before the next edge, it contains everything in between,
 * including other tags. If it is unclosed, it contains the text before the next tag.
 */
export function readTextElement(table: TokenTable, index: number, nextEdge: Int32Array): TextElement {
  const { source, tokens } = table;
  const { last, isClosed } = findLastToken(table, index, nextEdge);
  const from = (tokens[index] as XmlToken).end;
  const to = tokens[last]?.start ?? source.length;
  const parts = splitTextParts(source, tokens.slice(index + 1, last), { from, to });
  return {
    text: joinParts(parts, lineBreaks),
    trimmed: joinParts(parts, whiteSpace),
    end: isClosed ? (tokens[last] as XmlToken).end : to,
    next: isClosed ? last + 1 : last,
  };
}

function findLastToken({ tokens, closing, nextTag }: TokenTable, index: number, nextEdge: Int32Array) {
  const count = tokens.length;
  const close = closing[index] ?? count;
  const isClosed = close < (nextEdge[index + 1] ?? count);
  return { isClosed, last: isClosed ? close : (nextTag[index + 1] ?? count) };
}

type TextPart = { readonly text: string; readonly isVerbatim: boolean };

function splitTextParts(
  source: ScanSource,
  tokens: readonly XmlToken[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = from;
  for (const token of tokens) {
    if (token.kind !== 'cdata') continue;
    parts.push({ text: source.slice(at, token.start), isVerbatim: false });
    parts.push({ text: source.slice(token.from, token.to), isVerbatim: true });
    at = token.end;
  }
  if (at < to) parts.push({ text: source.slice(at, to), isVerbatim: false });
  // Whitespace next to CDATA is only layout.
  if (parts.length < 2) return parts;
  return parts.filter(({ text, isVerbatim }) => isVerbatim || text.trim() !== '');
}

type TrimRules = { readonly start: (text: string) => string; readonly end: (text: string) => string };

const whiteSpace: TrimRules = { start: (text) => text.trimStart(), end: (text) => text.trimEnd() };
const lineBreaks: TrimRules = {
  start: (text) => text.replace(/^\r?\n/, ''),
  end: (text) => text.replace(/\r?\n$/, ''),
};

/** CDATA is verbatim; other text is trimmed at the edges, and its entities are resolved. */
function joinParts(parts: readonly TextPart[], trim: TrimRules): string {
  return parts
    .map(({ text, isVerbatim }, index) => {
      if (isVerbatim) return text;
      const started = index === 0 ? trim.start(text) : text;
      return unescapeXml(index === parts.length - 1 ? trim.end(started) : started);
    })
    .join('');
}
