import { parseAst } from 'vitest/node';

export type SyntaxNode = { readonly type: string; readonly [field: string]: unknown };

/** Parses TypeScript with the parser that the tests run through already. */
export function parse(source: string, lang: 'ts' | 'tsx' = 'ts'): SyntaxNode {
  const program: unknown = parseAst(source, { lang });
  if (!isNode(program)) throw new TypeError('The parser gave no syntax tree.');
  return program;
}

/** All nodes of a tree, parents before children, in the order of the source. */
export function nodesOf(node: SyntaxNode): readonly SyntaxNode[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)];
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flat().filter(isNode);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The text of a string or template literal, `${…}` standing for each interpolated part. */
export function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral') return templateText(node['quasis']);
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [textOf(node['left']), textOf(node['right'])];
  return left === undefined || right === undefined ? undefined : left + right;
}

function templateText(quasis: unknown): string {
  if (!Array.isArray(quasis)) return '';
  return quasis
    .map((quasi: { readonly value: { readonly cooked: string } }) => quasi.value.cooked)
    .join('${…}');
}
