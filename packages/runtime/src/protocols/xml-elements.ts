import type { ReplyProblem } from './decision.ts';
import { joinReasoning } from './reasoning.ts';
import type { ScanSource } from './scan-source.ts';
import {
  type XmlToken,
  type TagAttributes,
  skipComment,
  readTextElement,
  buildTokenTable,
  type TokenTable,
  type FieldText,
} from './xml-tokens.ts';
import { formatShortValue } from '../text/one-line.ts';

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

/** An `<action>`: its attributes and elements by normalized name. An element overrides an attribute. */
type ActionElement = { readonly fields: ReadonlyMap<string, FieldText> };

const actionElementNames: ReadonlySet<string> = new Set(['type', 'tags', 'value']);

type ParsedActionElement = {
  readonly action?: ActionElement;
  readonly problems: readonly ReplyProblem[];
  readonly next: number;
  readonly end: number;
};

/**
 * Reads the action that opens at this token. It ends at its closing tag, or at the next agent or action tag, which
 * implies its end. At the end of the reply nothing implies that, so the action is incomplete.
 */
function readActionElement(table: TokenTable, index: number): ParsedActionElement {
  const { tokens, source } = table;
  const edge = table.nextEdge[index + 1] ?? tokens.length;
  const last = tokens[edge];
  const { fields, problems } = readActionContents(table, index, edge);
  const isClosed = last?.kind === 'close' && last.name === 'action';
  return {
    ...(fields.size > 0 && { action: { fields } }),
    problems: last === undefined ? [...problems, truncatedActionProblem] : problems,
    next: isClosed ? edge + 1 : edge,
    end: isClosed ? last.end : (last?.start ?? source.length),
  };
}

function readActionContents(table: TokenTable, index: number, edge: number) {
  const { tokens, source } = table;
  const opening = tokens[index] as Extract<XmlToken, { readonly kind: 'open' | 'empty' }>;
  const fields = toAttributeFields(opening.attributes);
  const elementNames = new Set<string>();
  const problems: ReplyProblem[] = [];
  let [at, from] = [index + 1, opening.end];
  while (at < edge) {
    const token = tokens[at] as XmlToken;
    const { field, problem, next, end } = readActionPart(table, at, token);
    problems.push(...checkLooseText(source.slice(from, token.start)), ...(problem ?? []));
    if (field !== undefined) {
      if (elementNames.has(field.name)) problems.push(createDuplicateTagProblem(field.name));
      elementNames.add(field.name);
      fields.set(field.name, field);
    }
    [at, from] = [next, end];
  }
  return {
    fields,
    problems: [...problems, ...checkLooseText(source.slice(from, tokens[edge]?.start ?? source.length))],
  };
}

/** Text in an action outside any parameter would be lost, so report it. */
function checkLooseText(text: string): readonly ReplyProblem[] {
  return text.trim() === '' ? [] : [createLooseTextProblem(text.trim())];
}

type ActionPart = {
  readonly next: number;
  readonly end: number;
  readonly field?: FieldText & { readonly name: string };
  readonly problem?: readonly ReplyProblem[];
};

function readActionPart(table: TokenTable, index: number, token: XmlToken): ActionPart {
  const single = { next: index + 1, end: token.end };
  switch (token.kind) {
    case 'open': {
      const { text, trimmed, next, end } = readTextElement(table, index, table.nextEdge);
      return { next, end, field: { name: token.name, text, trimmed } };
    }
    case 'empty':
      return { ...single, field: { name: token.name, text: '', trimmed: '' } };
    case 'comment':
      return { next: skipComment(table.tokens, index), end: token.end };
    case 'close':
      return { ...single, problem: [createStrayTagProblem(token.name)] };
    case 'broken':
      return { ...single, problem: [createBrokenTagProblem(token.name)] };
    case 'cdata':
      return { ...single, problem: checkLooseText(table.source.slice(token.from, token.to)) };
    default:
      return token satisfies never;
  }
}

function toAttributeFields(attributes: TagAttributes): Map<string, FieldText> {
  return new Map([...attributes].map(([name, text]) => [name, { text, trimmed: text.trim() }]));
}

const cdataHint = 'Put text that contains tags between <![CDATA[ and ]]>.';

const truncatedActionProblem: ReplyProblem = {
  problem: 'the reply ends before the action is complete',
  location: '<action>',
  hint: 'Send the whole action again and close it with </action></agent>. Make it shorter if it did not fit.',
};

function createBrokenTagProblem(name: string): ReplyProblem {
  return {
    problem: `the tag <${name}> is incomplete or has an invalid attribute`,
    location: `<${name}>`,
    hint: 'Write attributes as name="text" without < in it, or use elements instead.',
  };
}

function createStrayTagProblem(name: string): ReplyProblem {
  return { problem: `</${name}> closes nothing`, location: `</${name}>`, hint: cdataHint };
}

function createMisplacedTagProblem(name: string): ReplyProblem {
  return {
    problem: `<${name}> is outside <action>`,
    location: `<${name}>`,
    hint: 'Put it inside the <action> that it belongs to.',
  };
}

function createDuplicateTagProblem(name: string): ReplyProblem {
  return {
    problem: `<${name}> is given twice`,
    location: '<action>',
    hint: `Give each parameter once. ${cdataHint}`,
  };
}

function createLooseTextProblem(text: string): ReplyProblem {
  return {
    problem: `the text ${formatShortValue(text)} belongs to no parameter`,
    location: '<action>',
    hint: `Put every value into the element of its parameter. ${cdataHint}`,
  };
}
