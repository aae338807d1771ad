import { isSyntaxNode, listSyntaxNodes, parseTypeScript, getLiteralText } from '../syntax-tree.ts';

const importNodeTypes = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** Lists the import specifiers of a source file, including type imports. */
export function listImports(file: string, source: string): readonly string[] {
  return listSyntaxNodes(parseTypeScript(source, file.endsWith('x') ? 'tsx' : 'ts'))
    .filter(({ type }) => importNodeTypes.has(type))
    .flatMap((node) => (isSyntaxNode(node['source']) ? (getLiteralText(node['source']) ?? []) : []));
}
