import { isSyntaxNode, parseTypeScript, type SyntaxNode } from '../syntax-tree.ts';

/** A source file by its path from the root of the project. */
export type NamedSource = { readonly path: string; readonly text: string };

/** The exported names of one word: the concepts that every reader meets first, and entry points. */
const oneWordNames = new Set([
  'Action',
  'Agent',
  'Chart',
  'Config',
  'Event',
  'Json',
  'Model',
  'Note',
  'Phase',
  'Profile',
  'Rule',
  'Session',
  'Store',
  'Tool',
  'Verdict',
  'main',
  'replay',
  'step',
]);

const prepositions =
  /(?:About|After|Against|Among|As|At|Before|Behind|Beneath|Beside|Between|By|For|From|In|Into|Of|On|Onto|Over|Per|Through|To|Under|Until|Upon|With|Within|Without)$/;

/** Finds names that break the naming rules of AGENTS.md, one line each. */
export function findNamingFaults(sources: readonly NamedSource[]): readonly string[] {
  const declared = sources.flatMap(({ path, text }) =>
    listDeclarations(parseTypeScript(text, path.endsWith('x') ? 'tsx' : 'ts')).map((each) => ({
      ...each,
      path,
    })),
  );
  const faults = declared.flatMap(({ path, name, isExported, isFunction }) => [
    ...(isExported && isOneWord(name) && !oneWordNames.has(name)
      ? [`${path}: ${name} is one word; name the role or the action as well`]
      : []),
    ...(isFunction && prepositions.test(name) ? [`${path}: ${name} ends in a preposition`] : []),
  ]);
  return [...faults, ...findSharedTypeNames(declared)];
}

type Declaration = {
  readonly name: string;
  readonly isExported: boolean;
  readonly isFunction: boolean;
  readonly isType: boolean;
};

type LocatedDeclaration = Declaration & { readonly path: string };

/** Two exported types with one name are two concepts, or one that is written twice. */
function findSharedTypeNames(declared: readonly LocatedDeclaration[]): readonly string[] {
  const paths = new Map<string, string[]>();
  for (const { name, path, isExported, isType } of declared)
    if (isExported && isType) paths.set(name, [...(paths.get(name) ?? []), path]);
  return [...paths]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name} is the name of several exported types: ${files.join(', ')}`);
}

function listDeclarations(program: SyntaxNode): readonly Declaration[] {
  const statements = Array.isArray(program['body']) ? program['body'].filter(isSyntaxNode) : [];
  return statements.flatMap((statement) => {
    const inner = statement.type === 'ExportNamedDeclaration' ? statement['declaration'] : statement;
    const isExported = statement.type === 'ExportNamedDeclaration';
    return isSyntaxNode(inner) ? describeDeclaration(inner).map((each) => ({ ...each, isExported })) : [];
  });
}

function describeDeclaration(node: SyntaxNode): readonly Omit<Declaration, 'isExported'>[] {
  if (node.type === 'VariableDeclaration' && Array.isArray(node['declarations']))
    return node['declarations'].filter(isSyntaxNode).flatMap((each) => {
      const init = each['init'];
      const isFunction =
        isSyntaxNode(init) && ['ArrowFunctionExpression', 'FunctionExpression'].includes(init.type);
      return getNames(each).map((name) => ({ name, isFunction, isType: false }));
    });
  const isFunction = node.type === 'FunctionDeclaration';
  const isType = node.type === 'TSTypeAliasDeclaration' || node.type === 'TSInterfaceDeclaration';
  if (!isFunction && !isType && node.type !== 'ClassDeclaration') return [];
  return getNames(node).map((name) => ({ name, isFunction, isType }));
}

function getNames(node: SyntaxNode): readonly string[] {
  const { id } = node;
  return isSyntaxNode(id) && id.type === 'Identifier' ? [String(id['name'])] : [];
}

function isOneWord(name: string): boolean {
  return !/[a-z0-9][A-Z]|_/.test(name);
}
