import { isNode, nodesOf, parse, textOf } from '../syntax-tree.ts';

const kinds = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** What a source file imports, types included, as written. */
export function importsIn(file: string, source: string): readonly string[] {
  return nodesOf(parse(source, file.endsWith('x') ? 'tsx' : 'ts'))
    .filter(({ type }) => kinds.has(type))
    .flatMap((node) => (isNode(node['source']) ? (textOf(node['source']) ?? []) : []));
}
