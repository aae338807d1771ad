import type { ReplyProblem } from './decision.ts';
import { joinReasoning } from './reasoning.ts';
import type { ScanSource } from './scan-source.ts';
import {
  actionElementNames,
  toAttributeFields,
  readActionElement,
  type ActionElement,
} from './xml-action-element.ts';
import { skipComment, readTextElement, buildTokenTable, type TokenTable } from './xml-leaf.ts';
import { createBrokenTagProblem, createMisplacedTagProblem, createStrayTagProblem } from './xml-problems.ts';
import type { XmlToken } from './xml-tokens.ts';

export type AgentElement = {
  readonly nextState: string | null;
  readonly think: string | null;
  readonly evaluation: string | null;
  readonly actions: readonly ActionElement[];
  readonly problems: readonly ReplyProblem[];
  readonly start: number;
  readonly end: number;
};

/**
 * Finds the first non-empty `<agent>`. Without one, its child elements are accepted at the top level. Null if there is
 * neither.
 */
export function findAgentElement(source: ScanSource, tokens: readonly XmlToken[]): AgentElement | null {
  const table = buildTokenTable(source, tokens);
  let empty: AgentElement | null = null;
  let index = findAgentStart(tokens, 0);
  while (index < tokens.length) {
    const { agent, next } = readAgentElement(table, index);
    if (!isEmptyAgent(agent)) return agent;
    empty ??= agent;
    index = findAgentStart(tokens, next);
  }
  return empty;
}

const agentElementNames: ReadonlySet<string> = new Set([
  'agent',
  'nextstate',
  'thinklog',
  'thinkinglog',
  'evaluationlog',
  'action',
]);

/** Finds the next tag outside comments that can start an agent element. */
function findAgentStart(tokens: readonly XmlToken[], from: number): number {
  let index = from;
  while (index < tokens.length) {
    const token = tokens[index] as XmlToken;
    const isTag = token.kind === 'open' || token.kind === 'empty' || token.kind === 'broken';
    if (isTag && agentElementNames.has(token.name)) return index;
    index = token.kind === 'comment' ? skipComment(tokens, index) : index + 1;
  }
  return index;
}

function isEmptyAgent({ nextState, think, evaluation, actions, problems }: AgentElement): boolean {
  return (nextState ?? think ?? evaluation) === null && actions.length === 0 && problems.length === 0;
}

/** Reads piece by piece until the element closes. An unclosed element extends to the end of the reply. */
function readAgentElement(
  table: TokenTable,
  first: number,
): { readonly agent: AgentElement; readonly next: number } {
  const { tokens, source } = table;
  const start = tokens[first] as XmlToken;
  const isWrapped = start.kind === 'open' && start.name === 'agent';
  const pieces: AgentPiece[] = [];
  let [next, end, isOpen] = [first, start.end, true];
  while (isOpen && next < tokens.length) {
    const token = tokens[next] as XmlToken;
    isOpen = !(token.kind === 'close' && token.name === 'agent');
    const piece = isOpen ? readAgentPiece(table, next, token) : { next: next + 1, end: token.end };
    pieces.push(piece);
    [next, end] = [piece.next, Math.max(end, piece.end)];
  }
  return {
    agent: combinePieces(pieces, { start: start.start, end: isOpen && isWrapped ? source.length : end }),
    next,
  };
}

/** The content of one part of an agent element. `next` is the index of the token after it. */
type AgentPiece = {
  readonly next: number;
  readonly end: number;
  readonly nextState?: string;
  readonly think?: string;
  readonly evaluation?: string;
  readonly action?: ActionElement;
  readonly problems?: readonly ReplyProblem[];
};

function combinePieces(
  pieces: readonly AgentPiece[],
  span: { readonly start: number; readonly end: number },
): AgentElement {
  const nextState = pieces.map((piece) => piece.nextState).find((state) => state !== undefined);
  return {
    nextState: nextState ?? null,
    think: joinAllReasoning(pieces.map(({ think }) => think)),
    evaluation: joinAllReasoning(pieces.map(({ evaluation }) => evaluation)),
    actions: pieces.flatMap(({ action }) => action ?? []),
    problems: pieces.flatMap(({ problems }) => problems ?? []),
    ...span,
  };
}

function joinAllReasoning(texts: readonly (string | undefined)[]): string | null {
  return texts.reduce<string | null>((sum, text) => joinReasoning(sum, text ?? null), null);
}

function readAgentPiece(table: TokenTable, index: number, token: XmlToken): AgentPiece {
  const single = { next: index + 1, end: token.end };
  switch (token.kind) {
    case 'comment':
      return { next: skipComment(table.tokens, index), end: token.end };
    case 'broken':
      return { ...single, problems: [createBrokenTagProblem(token.name)] };
    case 'close':
      return isUnmatchedClose(token.name)
        ? { ...single, problems: [createStrayTagProblem(token.name)] }
        : single;
    case 'open':
      return readOpenPiece(table, index, token.name) ?? single;
    case 'empty':
      // Some models send an empty action when they want none.
      return token.name === 'action' && token.attributes.size > 0
        ? { ...single, action: { fields: toAttributeFields(token.attributes) } }
        : single;
    case 'cdata':
      return single;
    default:
      return token satisfies never;
  }
}

/** Whether a closing tag without an opening one means that an earlier element ended too early. */
function isUnmatchedClose(name: string): boolean {
  return name === 'action' || actionElementNames.has(name);
}

function readOpenPiece(table: TokenTable, index: number, name: string): AgentPiece | null {
  if (name === 'action') return readActionElement(table, index);
  if (actionElementNames.has(name))
    return { ...readTextElement(table, index, table.nextEdge), problems: [createMisplacedTagProblem(name)] };
  if (name === 'agent' || !agentElementNames.has(name)) return null;
  const { trimmed, next, end } = readTextElement(table, index, table.nextAgent);
  if (trimmed === '') return { next, end };
  if (name === 'nextstate') return { next, end, nextState: trimmed };
  return name === 'evaluationlog' ? { next, end, evaluation: trimmed } : { next, end, think: trimmed };
}
