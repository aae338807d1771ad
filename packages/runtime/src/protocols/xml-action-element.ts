import type { ReplyProblem } from './decision.ts';
import { skipComment, readTextElement, type FieldText, type TokenTable } from './xml-leaf.ts';
import {
  createBrokenTagProblem,
  truncatedActionProblem,
  createLooseTextProblem,
  createStrayTagProblem,
  createDuplicateTagProblem,
} from './xml-problems.ts';
import type { TagAttributes, XmlToken } from './xml-tokens.ts';

/** An `<action>`: its attributes and elements by normalized name. An element overrides an attribute. */
export type ActionElement = { readonly fields: ReadonlyMap<string, FieldText> };

export const actionElementNames: ReadonlySet<string> = new Set(['type', 'tags', 'value']);

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
export function readActionElement(table: TokenTable, index: number): ParsedActionElement {
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

export function toAttributeFields(attributes: TagAttributes): Map<string, FieldText> {
  return new Map([...attributes].map(([name, text]) => [name, { text, trimmed: text.trim() }]));
}
