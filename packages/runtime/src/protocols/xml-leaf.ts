import type { ScanSource } from './scan-source.ts';
import { unescapeXml } from './xml-escape.ts';
import type { XmlToken } from './xml-tokens.ts';

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
