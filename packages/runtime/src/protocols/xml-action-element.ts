import type { Problem } from './decision.ts';
import { afterComment, readLeaf, type FieldText, type Table } from './xml-leaf.ts';
import { brokenTag, cutAction, loose, stray, twice } from './xml-problems.ts';
import type { Attributes, Token } from './xml-tokens.ts';

/** An `<action>`: what its attributes and elements say, by plain name. Where both say something the element counts. */
export type ActionElement = { readonly fields: ReadonlyMap<string, FieldText> };

export const actionParts: ReadonlySet<string> = new Set(['type', 'tags', 'value']);

type ReadElement = {
  readonly action?: ActionElement;
  readonly problems: readonly Problem[];
  readonly next: number;
  readonly end: number;
};

/**
 * Reads the action that is opened here. It ends where it is closed, or where the agent element or another action shows that it
 * was meant to be. At the end of the reply nothing shows that: then it is only a part of an action.
 */
export function readActionElement(table: Table, index: number): ReadElement {
  const { tokens, source } = table;
  const edge = table.nextEdge[index + 1] ?? tokens.length;
  const last = tokens[edge];
  const { fields, problems } = readContents(table, index, edge);
  const isClosed = last?.kind === 'close' && last.name === 'action';
  return {
    ...(fields.size > 0 && { action: { fields } }),
    problems: last === undefined ? [...problems, cutAction] : problems,
    next: isClosed ? edge + 1 : edge,
    end: isClosed ? last.end : (last?.start ?? source.length),
  };
}

function readContents(table: Table, index: number, edge: number) {
  const { tokens, source } = table;
  const opening = tokens[index] as Extract<Token, { readonly kind: 'open' | 'empty' }>;
  const fields = fieldsOfTag(opening.attributes);
  const given = new Set<string>();
  const problems: Problem[] = [];
  let [at, from] = [index + 1, opening.end];
  while (at < edge) {
    const token = tokens[at] as Token;
    const { field, problem, next, end } = partAt(table, at, token);
    problems.push(...looseText(source.slice(from, token.start)), ...(problem ?? []));
    if (field !== undefined) {
      if (given.has(field.name)) problems.push(twice(field.name));
      given.add(field.name);
      fields.set(field.name, field);
    }
    [at, from] = [next, end];
  }
  return {
    fields,
    problems: [...problems, ...looseText(source.slice(from, tokens[edge]?.start ?? source.length))],
  };
}

/** Text in an action that belongs to no parameter would be lost. */
function looseText(text: string): readonly Problem[] {
  return text.trim() === '' ? [] : [loose(text.trim())];
}

type Part = {
  readonly next: number;
  readonly end: number;
  readonly field?: FieldText & { readonly name: string };
  readonly problem?: readonly Problem[];
};

function partAt(table: Table, index: number, token: Token): Part {
  const alone = { next: index + 1, end: token.end };
  switch (token.kind) {
    case 'open': {
      const { text, trimmed, next, end } = readLeaf(table, index, table.nextEdge);
      return { next, end, field: { name: token.name, text, trimmed } };
    }
    case 'empty':
      return { ...alone, field: { name: token.name, text: '', trimmed: '' } };
    case 'comment':
      return { next: afterComment(table.tokens, index), end: token.end };
    case 'close':
      return { ...alone, problem: [stray(token.name)] };
    case 'broken':
      return { ...alone, problem: [brokenTag(token.name)] };
    case 'cdata':
      return { ...alone, problem: looseText(table.source.slice(token.from, token.to)) };
    default:
      return token satisfies never;
  }
}

export function fieldsOfTag(attributes: Attributes): Map<string, FieldText> {
  return new Map([...attributes].map(([name, text]) => [name, { text, trimmed: text.trim() }]));
}
