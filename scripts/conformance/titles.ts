import { isNode, nodesOf, parse, textOf, type SyntaxNode } from '../syntax-tree.ts';

const testFunctions = new Set(['it', 'test', 'describe', 'suite']);

/**
 * The titles of the tests in a source file, and the texts in the tables that tests are repeated over (`it.each(table)`,
 * `for (const row of table) it(…)`), which are parts of titles. What is skipped or still to do shows nothing and is
 * left out.
 */
export function titlesIn(source: string): readonly string[] {
  const nodes = nodesOf(parse(source));
  const constants = constantsIn(nodes);
  return nodes.flatMap((node) => {
    const title = isTest(node) ? textOf(firstArgument(node)) : undefined;
    return title === undefined ? textsIn(tableOf(node), constants) : [title];
  });
}

function isTest(node: SyntaxNode): boolean {
  const names = node.type === 'CallExpression' ? calleeNames(node['callee']) : [];
  return testFunctions.has(names[0] ?? '') && !names.some((name) => /^(?:skip|todo)/.test(name));
}

/** `it.concurrent.each(table)` → it, concurrent, each. */
function calleeNames(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  if (callee.type === 'Identifier') return [String(callee['name'])];
  if (callee.type === 'CallExpression') return calleeNames(callee['callee']);
  if (callee.type === 'TaggedTemplateExpression') return calleeNames(callee['tag']);
  if (callee.type !== 'MemberExpression') return [];
  return [...calleeNames(callee['object']), ...calleeNames(callee['property'])];
}

function firstArgument(call: SyntaxNode): unknown {
  return Array.isArray(call['arguments']) ? call['arguments'][0] : undefined;
}

function tableOf(node: SyntaxNode): unknown {
  if (isTest(node))
    return ['each', 'for'].includes(calleeNames(node['callee']).at(-1) ?? '')
      ? firstArgument(node)
      : undefined;
  return node.type === 'ForOfStatement' && nodesOf(node).some(isTest) ? node['right'] : undefined;
}

type Constants = ReadonlyMap<unknown, unknown>;

function constantsIn(nodes: readonly SyntaxNode[]): Constants {
  const declarations = nodes.filter(({ type }) => type === 'VariableDeclarator');
  return new Map(
    declarations.map((node) => [isNode(node['id']) ? node['id']['name'] : undefined, node['init']]),
  );
}

function textsIn(table: unknown, constants: Constants): readonly string[] {
  if (!isNode(table)) return [];
  const rows = table.type === 'Identifier' ? constants.get(table['name']) : table;
  return isNode(rows) ? nodesOf(rows).flatMap((node) => textOf(node) ?? []) : [];
}
