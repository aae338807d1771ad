import { extname } from 'node:path';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { jsonProblemOf, type SyntaxProblem } from './json-problem.ts';

/** Where in a written file something is: keys and the numbers of items. */
export type WrittenPath = readonly (string | number)[];

/** A text that was read, and where in it things are. */
export type WrittenText = {
  readonly value: unknown;
  /** The line of what is at a path, or of the nearest thing around it; null if there is none. */
  readonly lineOf: (path: WrittenPath) => number | null;
};

/** Beyond this, aliases are not a way to say something once but a way to make a small file large. */
const aliasesMax = 1_000;

/** What a file is written in, by its name; null if that does not tell. */
export function writtenKindOf(path: string): 'json' | 'yaml' | null {
  const extension = extname(path).toLowerCase();
  if (extension === '.json') return 'json';
  return extension === '.yaml' || extension === '.yml' ? 'yaml' : null;
}

/**
 * Reads JSON or YAML. JSON is read as YAML too, which it is, for the lines and for keys that stand there twice; the
 * YAML is that of version 1.2 without tags and merge keys, so that a file means the same to every reader.
 */
export function readWrittenText(text: string, kind: 'json' | 'yaml'): WrittenText | SyntaxProblem {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const jsonProblem = kind === 'json' ? jsonProblemOf(plain) : null;
  if (jsonProblem !== null) return jsonProblem;
  const lineCounter = new LineCounter();
  const document = parseDocument(plain, {
    version: '1.2',
    schema: 'core',
    strict: true,
    stringKeys: true,
    resolveKnownTags: false,
    // Looked for below, in a time that does not grow with the square of their number.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter,
  });
  const lineAt = (offset: number): number => Math.max(1, lineCounter.linePos(offset).line);
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined)
    return { problem: explained(wrong.code, wrong.message), line: lineAt(wrong.pos[0]) };
  const twice = keyTwice(document);
  if (twice !== null)
    return { problem: `the key ${twice.key} stands there twice.`, line: lineAt(twice.offset) };
  return valueOf(document, lineAt);
}

function explained(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'there is a second document. Put it into a file of its own.';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags are not read. Write the value without it.';
  return `this is not YAML: ${message.split('\n')[0]}`;
}

function keyTwice(document: Document): { readonly key: string; readonly offset: number } | null {
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

function valueOf(document: Document, lineAt: (offset: number) => number): WrittenText | SyntaxProblem {
  try {
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    return { value, lineOf: (path) => lineIn(document, path, lineAt) };
  } catch (error) {
    // Too many aliases, or one that stands for nothing.
    const message = error instanceof Error ? error.message : String(error);
    return { problem: `this is not YAML: ${message.split('\n')[0]}`, line: null };
  }
}

function lineIn(document: Document, path: WrittenPath, lineAt: (offset: number) => number): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = offsetOf(document, path.slice(0, length));
    if (offset !== null) return lineAt(offset);
  }
  return isNode(document.contents) && document.contents.range ? lineAt(document.contents.range[0]) : null;
}

/** Of a key rather than of what it holds: that may begin on the next line. */
function offsetOf(document: Document, path: WrittenPath): number | null {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  const key = isMap(parent)
    ? parent.items.map((item) => item.key).find((each) => isScalar(each) && each.value === last)
    : document.getIn(path, true);
  return isNode(key) ? (key.range?.[0] ?? null) : null;
}
