import {
  isSyntaxNode,
  listSyntaxNodes,
  parseTypeScript,
  getLiteralText,
  type SyntaxNode,
} from '../syntax-tree.ts';

const testFunctions = new Set(['it', 'test', 'describe', 'suite']);

/**
 * Lists the test titles in a source file, including the strings in tables that tests are repeated over
 * (`it.each(table)`, `for (const row of table) it(…)`), which are parts of titles. Skipped and todo tests are omitted
 * because they demonstrate nothing.
 */
export function listTestTitles(source: string): readonly string[] {
  const nodes = listSyntaxNodes(parseTypeScript(source));
  const constants = collectConstants(nodes);
  return nodes.flatMap((node) => {
    const title = isTestCall(node) ? getLiteralText(getFirstArgument(node)) : undefined;
    return title === undefined ? listTableTexts(findTestTable(node), constants) : [title];
  });
}

function isTestCall(node: SyntaxNode): boolean {
  const names = node.type === 'CallExpression' ? listCalleeNames(node['callee']) : [];
  return testFunctions.has(names[0] ?? '') && !names.some((name) => /^(?:skip|todo)/.test(name));
}

/** `it.concurrent.each(table)` → it, concurrent, each. */
function listCalleeNames(callee: unknown): readonly string[] {
  if (!isSyntaxNode(callee)) return [];
  if (callee.type === 'Identifier') return [String(callee['name'])];
  if (callee.type === 'CallExpression') return listCalleeNames(callee['callee']);
  if (callee.type === 'TaggedTemplateExpression') return listCalleeNames(callee['tag']);
  if (callee.type !== 'MemberExpression') return [];
  return [...listCalleeNames(callee['object']), ...listCalleeNames(callee['property'])];
}

function getFirstArgument(call: SyntaxNode): unknown {
  return Array.isArray(call['arguments']) ? call['arguments'][0] : undefined;
}

function findTestTable(node: SyntaxNode): unknown {
  if (isTestCall(node))
    return ['each', 'for'].includes(listCalleeNames(node['callee']).at(-1) ?? '')
      ? getFirstArgument(node)
      : undefined;
  return node.type === 'ForOfStatement' && listSyntaxNodes(node).some(isTestCall) ? node['right'] : undefined;
}

type ConstantValues = ReadonlyMap<unknown, unknown>;

function collectConstants(nodes: readonly SyntaxNode[]): ConstantValues {
  const declarations = nodes.filter(({ type }) => type === 'VariableDeclarator');
  return new Map(
    declarations.map((node) => [isSyntaxNode(node['id']) ? node['id']['name'] : undefined, node['init']]),
  );
}

function listTableTexts(table: unknown, constants: ConstantValues): readonly string[] {
  if (!isSyntaxNode(table)) return [];
  const rows = table.type === 'Identifier' ? constants.get(table['name']) : table;
  return isSyntaxNode(rows) ? listSyntaxNodes(rows).flatMap((node) => getLiteralText(node) ?? []) : [];
}
