import type { Source } from './source.ts';
import { unescapeXml } from './xml-escape.ts';
import type { Token } from './xml-tokens.ts';

/** The text of an element: as it is but for one line break at either end, and without the white space around it. */
export type FieldText = { readonly text: string; readonly trimmed: string };

/** An element that holds only text, the place where it ends, and the index of the token after it. */
type Leaf = FieldText & { readonly end: number; readonly next: number };

/** The tags of a text and, for each place among them, what comes next there. Indexes into `tokens`. */
export type Table = {
  readonly source: Source;
  readonly tokens: readonly Token[];
  /** The next tag of an agent or an action: it ends what was left open in an action. */
  readonly nextEdge: Int32Array;
  /** The next tag of an agent: it ends what was left open in an agent. A note may well name the action it leads to. */
  readonly nextAgent: Int32Array;
  /** For an opening tag, the next closing tag of the same name. */
  readonly closing: Int32Array;
  /** The next tag of any kind. */
  readonly nextTag: Int32Array;
};

/** One pass from the back, so that no tag has to look for its end by itself. */
export function tableOf(source: Source, tokens: readonly Token[]): Table {
  const count = tokens.length;
  const nextEdge = new Int32Array(count + 1).fill(count);
  const nextAgent = new Int32Array(count + 1).fill(count);
  const nextTag = new Int32Array(count + 1).fill(count);
  const closing = new Int32Array(count + 1).fill(count);
  const lastClosed = new Map<string, number>();
  for (let index = count - 1; index >= 0; index -= 1) {
    const token = tokens[index] as Token;
    const name = tagName(token);
    nextAgent[index] = name === 'agent' ? index : (nextAgent[index + 1] ?? count);
    nextEdge[index] =
      name === 'action' ? index : Math.min(nextAgent[index] ?? count, nextEdge[index + 1] ?? count);
    nextTag[index] = name === null ? (nextTag[index + 1] ?? count) : index;
    if (token.kind === 'close') lastClosed.set(token.name, index);
    if (token.kind === 'open') closing[index] = lastClosed.get(token.name) ?? count;
  }
  return { source, tokens, nextEdge, nextAgent, closing, nextTag };
}

function tagName(token: Token): string | null {
  return token.kind === 'open' || token.kind === 'close' || token.kind === 'empty' ? token.name : null;
}

/** The index of the first token behind a comment. */
export function afterComment(tokens: readonly Token[], index: number): number {
  const end = tokens[index]?.end ?? 0;
  let next = index + 1;
  while (next < tokens.length && (tokens[next] as Token).start < end) next += 1;
  return next;
}

/**
 * Reads the element that begins at this tag. Closed before the next edge, it holds everything up to there, other tags
 * included. Left open, it holds what comes before the next tag.
 */
export function readLeaf(table: Table, index: number, nextEdge: Int32Array): Leaf {
  const { source, tokens } = table;
  const { last, isClosed } = lastOf(table, index, nextEdge);
  const from = (tokens[index] as Token).end;
  const to = tokens[last]?.start ?? source.length;
  const parts = partsOf(source, tokens.slice(index + 1, last), { from, to });
  return {
    text: joinParts(parts, lineBreaks),
    trimmed: joinParts(parts, whiteSpace),
    end: isClosed ? (tokens[last] as Token).end : to,
    next: isClosed ? last + 1 : last,
  };
}

function lastOf({ tokens, closing, nextTag }: Table, index: number, nextEdge: Int32Array) {
  const count = tokens.length;
  const close = closing[index] ?? count;
  const isClosed = close < (nextEdge[index + 1] ?? count);
  return { isClosed, last: isClosed ? close : (nextTag[index + 1] ?? count) };
}

type Part = { readonly text: string; readonly isVerbatim: boolean };

function partsOf(
  source: Source,
  tokens: readonly Token[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly Part[] {
  const parts: Part[] = [];
  let at = from;
  for (const token of tokens) {
    if (token.kind !== 'cdata') continue;
    parts.push({ text: source.slice(at, token.start), isVerbatim: false });
    parts.push({ text: source.slice(token.from, token.to), isVerbatim: true });
    at = token.end;
  }
  if (at < to) parts.push({ text: source.slice(at, to), isVerbatim: false });
  // Beside CDATA, white space is only there for the eye.
  if (parts.length < 2) return parts;
  return parts.filter(({ text, isVerbatim }) => isVerbatim || text.trim() !== '');
}

type Trim = { readonly start: (text: string) => string; readonly end: (text: string) => string };

const whiteSpace: Trim = { start: (text) => text.trimStart(), end: (text) => text.trimEnd() };
const lineBreaks: Trim = {
  start: (text) => text.replace(/^\r?\n/, ''),
  end: (text) => text.replace(/\r?\n$/, ''),
};

/** CDATA is taken to the letter; the rest is trimmed where it is at the edge, and its entities are resolved. */
function joinParts(parts: readonly Part[], trim: Trim): string {
  return parts
    .map(({ text, isVerbatim }, index) => {
      if (isVerbatim) return text;
      const started = index === 0 ? trim.start(text) : text;
      return unescapeXml(index === parts.length - 1 ? trim.end(started) : started);
    })
    .join('');
}
