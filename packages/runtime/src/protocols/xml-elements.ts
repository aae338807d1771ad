import type { Problem } from './decision.ts';
import { joined } from './reasoning.ts';
import type { Source } from './source.ts';
import { actionParts, fieldsOfTag, readActionElement, type ActionElement } from './xml-action-element.ts';
import { afterComment, readLeaf, tableOf, type Table } from './xml-leaf.ts';
import { brokenTag, outside, stray } from './xml-problems.ts';
import type { Token } from './xml-tokens.ts';

export type AgentElement = {
  readonly nextState: string | null;
  readonly think: string | null;
  readonly evaluation: string | null;
  readonly actions: readonly ActionElement[];
  readonly problems: readonly Problem[];
  readonly start: number;
  readonly end: number;
};

/**
 * The first `<agent>` with anything in it. Without one, the elements that would stand in it are taken as if they did.
 * Null when there is none of either.
 */
export function readAgent(source: Source, tokens: readonly Token[]): AgentElement | null {
  const table = tableOf(source, tokens);
  let empty: AgentElement | null = null;
  let index = findStart(tokens, 0);
  while (index < tokens.length) {
    const { agent, next } = readFrom(table, index);
    if (!isEmpty(agent)) return agent;
    empty ??= agent;
    index = findStart(tokens, next);
  }
  return empty;
}

const agentParts: ReadonlySet<string> = new Set([
  'agent',
  'nextstate',
  'thinklog',
  'thinkinglog',
  'evaluationlog',
  'action',
]);

/** The next tag, outside comments, that an agent element begins with. */
function findStart(tokens: readonly Token[], from: number): number {
  let index = from;
  while (index < tokens.length) {
    const token = tokens[index] as Token;
    const isTag = token.kind === 'open' || token.kind === 'empty' || token.kind === 'broken';
    if (isTag && agentParts.has(token.name)) return index;
    index = token.kind === 'comment' ? afterComment(tokens, index) : index + 1;
  }
  return index;
}

function isEmpty({ nextState, think, evaluation, actions, problems }: AgentElement): boolean {
  return (nextState ?? think ?? evaluation) === null && actions.length === 0 && problems.length === 0;
}

/** Takes one piece after the other until the element is closed. One that is never closed goes on to the end of the reply. */
function readFrom(table: Table, first: number): { readonly agent: AgentElement; readonly next: number } {
  const { tokens, source } = table;
  const start = tokens[first] as Token;
  const isWrapped = start.kind === 'open' && start.name === 'agent';
  const pieces: Piece[] = [];
  let [next, end, isOpen] = [first, start.end, true];
  while (isOpen && next < tokens.length) {
    const token = tokens[next] as Token;
    isOpen = !(token.kind === 'close' && token.name === 'agent');
    const piece = isOpen ? pieceAt(table, next, token) : { next: next + 1, end: token.end };
    pieces.push(piece);
    [next, end] = [piece.next, Math.max(end, piece.end)];
  }
  return {
    agent: combine(pieces, { start: start.start, end: isOpen && isWrapped ? source.length : end }),
    next,
  };
}

/** What one part of an agent element says, and where it ends. `next` is the index of the token after it. */
type Piece = {
  readonly next: number;
  readonly end: number;
  readonly nextState?: string;
  readonly think?: string;
  readonly evaluation?: string;
  readonly action?: ActionElement;
  readonly problems?: readonly Problem[];
};

function combine(
  pieces: readonly Piece[],
  span: { readonly start: number; readonly end: number },
): AgentElement {
  const said = pieces.map(({ nextState }) => nextState).find((state) => state !== undefined);
  return {
    nextState: said ?? null,
    think: joinAll(pieces.map(({ think }) => think)),
    evaluation: joinAll(pieces.map(({ evaluation }) => evaluation)),
    actions: pieces.flatMap(({ action }) => action ?? []),
    problems: pieces.flatMap(({ problems }) => problems ?? []),
    ...span,
  };
}

function joinAll(texts: readonly (string | undefined)[]): string | null {
  return texts.reduce<string | null>((sum, text) => joined(sum, text ?? null), null);
}

function pieceAt(table: Table, index: number, token: Token): Piece {
  const alone = { next: index + 1, end: token.end };
  switch (token.kind) {
    case 'comment':
      return { next: afterComment(table.tokens, index), end: token.end };
    case 'broken':
      return { ...alone, problems: [brokenTag(token.name)] };
    case 'close':
      return isLost(token.name) ? { ...alone, problems: [stray(token.name)] } : alone;
    case 'open':
      return openPiece(table, index, token.name) ?? alone;
    case 'empty':
      // Some models send an empty action where they want none.
      return token.name === 'action' && token.attributes.size > 0
        ? { ...alone, action: { fields: fieldsOfTag(token.attributes) } }
        : alone;
    case 'cdata':
      return alone;
    default:
      return token satisfies never;
  }
}

/** Whether a closing tag shows that something was taken to end where it did not. */
function isLost(name: string): boolean {
  return name === 'action' || actionParts.has(name);
}

function openPiece(table: Table, index: number, name: string): Piece | null {
  if (name === 'action') return readActionElement(table, index);
  if (actionParts.has(name)) return { ...readLeaf(table, index, table.nextEdge), problems: [outside(name)] };
  if (name === 'agent' || !agentParts.has(name)) return null;
  const { trimmed, next, end } = readLeaf(table, index, table.nextAgent);
  if (trimmed === '') return { next, end };
  if (name === 'nextstate') return { next, end, nextState: trimmed };
  return name === 'evaluationlog' ? { next, end, evaluation: trimmed } : { next, end, think: trimmed };
}
