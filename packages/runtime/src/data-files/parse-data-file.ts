import { extname } from 'node:path';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';

/** Path to a value in a data file: keys and array indexes. */
export type DataPath = readonly (string | number)[];

/** A parsed data file with source positions. */
export type ParsedDataFile = {
  readonly value: unknown;
  /** Returns the line of the value at a path, or of its nearest ancestor; null if there is none. */
  readonly findLine: (path: DataPath) => number | null;
};

/** Limits YAML alias expansion, to prevent a small file from expanding into a huge value. */
const aliasesMax = 1_000;

/** Detects the format from the file extension; null if it is unknown. */
export function detectDataFormat(path: string): 'json' | 'yaml' | null {
  const extension = extname(path).toLowerCase();
  if (extension === '.json') return 'json';
  return extension === '.yaml' || extension === '.yml' ? 'yaml' : null;
}

/**
 * Parses JSON or YAML. JSON is also parsed as YAML, to get line numbers and to detect duplicate keys. YAML is limited
 * to version 1.2 without tags and merge keys, so that every parser reads a file the same way.
 */
export function parseDataFile(text: string, kind: 'json' | 'yaml'): ParsedDataFile | SyntaxProblem {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const jsonProblem = kind === 'json' ? findJsonSyntaxProblem(plain) : null;
  if (jsonProblem !== null) return jsonProblem;
  const lineCounter = new LineCounter();
  const document = parseDocument(plain, {
    version: '1.2',
    schema: 'core',
    strict: true,
    stringKeys: true,
    resolveKnownTags: false,
    // Checked below in linear time; the library's check is quadratic.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter,
  });
  const lineAt = (offset: number): number => Math.max(1, lineCounter.linePos(offset).line);
  const [syntaxError] = [...document.errors, ...document.warnings];
  if (syntaxError !== undefined)
    return {
      problem: explainYamlError(syntaxError.code, syntaxError.message),
      line: lineAt(syntaxError.pos[0]),
    };
  const duplicate = findDuplicateKey(document);
  if (duplicate !== null)
    return { problem: `duplicate key ${duplicate.key}.`, line: lineAt(duplicate.offset) };
  return toParsedDataFile(document, lineAt);
}

function explainYamlError(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'the file contains a second document. Move it to a separate file.';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags are not supported. Write the value without a tag.';
  return `invalid YAML: ${message.split('\n')[0]}`;
}

function findDuplicateKey(document: Document): { readonly key: string; readonly offset: number } | null {
  let found: { readonly key: string; readonly offset: number } | null = null;
  visit(document, {
    Map(_, map) {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          found = { key: JSON.stringify(key.value), offset: key.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

function toParsedDataFile(
  document: Document,
  lineAt: (offset: number) => number,
): ParsedDataFile | SyntaxProblem {
  try {
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    return { value, findLine: (path) => findLine(document, path, lineAt) };
  } catch (error) {
    // Too many aliases, or an unresolved alias.
    const message = error instanceof Error ? error.message : String(error);
    return { problem: `invalid YAML: ${message.split('\n')[0]}`, line: null };
  }
}

function findLine(document: Document, path: DataPath, lineAt: (offset: number) => number): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = findNodeOffset(document, path.slice(0, length));
    if (offset !== null) return lineAt(offset);
  }
  return isNode(document.contents) && document.contents.range ? lineAt(document.contents.range[0]) : null;
}

/** Returns the offset of the key rather than of its value, which may start on the next line. */
function findNodeOffset(document: Document, path: DataPath): number | null {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  const key = isMap(parent)
    ? parent.items.map((item) => item.key).find((each) => isScalar(each) && each.value === last)
    : document.getIn(path, true);
  return isNode(key) ? (key.range?.[0] ?? null) : null;
}

/** A syntax error, with its line if known. */
type SyntaxProblem = { readonly problem: string; readonly line: number | null };

/** Returns the syntax error of a JSON text, or null if it is valid. */
function findJsonSyntaxProblem(text: string): SyntaxProblem | null {
  const message = getParseErrorMessage(text);
  if (message === null) return null;
  const at = findErrorPosition(message) ?? findBreakingPoint(text);
  return { problem: `invalid JSON: ${message}`, line: text.slice(0, at).split('\n').length };
}

function getParseErrorMessage(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
  }
}

function findErrorPosition(message: string): number | null {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : Number(position);
}

/**
 * Finds the position of a syntax error by binary search, for messages without a position: every prefix before the error
 * is merely incomplete.
 */
function findBreakingPoint(text: string): number {
  let validEnd = 0;
  let brokenEnd = text.length;
  while (brokenEnd - validEnd > 1) {
    const middle = Math.floor((validEnd + brokenEnd) / 2);
    if (isValidPrefix(text.slice(0, middle))) validEnd = middle;
    else brokenEnd = middle;
  }
  return validEnd;
}

function isValidPrefix(prefix: string): boolean {
  const message = getParseErrorMessage(prefix);
  if (message === null || message.includes('end of JSON')) return true;
  return (findErrorPosition(message) ?? 0) >= prefix.length;
}
