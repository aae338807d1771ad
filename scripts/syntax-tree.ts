import { parseAst } from 'vitest/node';

export type SyntaxNode = { readonly type: string; readonly [field: string]: unknown };

/** Parses TypeScript with the same parser that the test runner uses. */
export function parseTypeScript(source: string, lang: 'ts' | 'tsx' = 'ts'): SyntaxNode {
  const program: unknown = parseAst(source, { lang });
  if (!isSyntaxNode(program)) throw new TypeError('The parser gave no syntax tree.');
  return program;
}

/** Lists all nodes of a tree, parents before children, in source order. */
export function listSyntaxNodes(node: SyntaxNode): readonly SyntaxNode[] {
  return [node, ...listChildNodes(node).flatMap(listSyntaxNodes)];
}

function listChildNodes(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flat().filter(isSyntaxNode);
}

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Returns the text of a string or template literal, with `${…}` for each interpolation. */
export function getLiteralText(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral') return joinTemplateText(node['quasis']);
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [getLiteralText(node['left']), getLiteralText(node['right'])];
  return left === undefined || right === undefined ? undefined : left + right;
}

function joinTemplateText(quasis: unknown): string {
  if (!Array.isArray(quasis)) return '';
  return quasis
    .map((quasi: { readonly value: { readonly cooked: string } }) => quasi.value.cooked)
    .join('${…}');
}
