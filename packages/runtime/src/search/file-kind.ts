/** The purpose of a file, guessed from its name. */
type FileKind = 'readme' | 'docs' | 'code' | 'test' | 'history' | 'data' | 'generated';

/** Ranking weights: of two equally good matches, the one written for readers comes first. */
const fileKindWeights: Record<FileKind, number> = {
  /** Written for newcomers. */
  readme: 1.15,
  docs: 1,
  code: 0.85,
  test: 0.6,
  /** Describes changes, rarely the current state. */
  history: 0.6,
  data: 0.5,
  /** Lock files and similar; still found if nothing else matches. */
  generated: 0.1,
};

export function getFileWeight(path: string): number {
  return fileKindWeights[getFileKind(path)];
}

function getFileKind(path: string): FileKind {
  const rule = fileKindRules.find(({ pattern }) => pattern.test(path));
  return rule?.kind ?? 'code';
}

/** Includes plain text, which often uses the same conventions. */
export function isMarkdown(path: string): boolean {
  return /\.(?:md|mdx|markdown|txt)$/i.test(path);
}

/** The first matching rule wins. */
const fileKindRules: readonly { readonly pattern: RegExp; readonly kind: FileKind }[] = [
  {
    pattern:
      /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb?|[^/]*\.lock)$/i,
    kind: 'generated',
  },
  { pattern: /\.min\.(?:js|css|mjs)$|\.map$|\.snap$|\.d\.ts$|\.svg$|\.tsbuildinfo$/i, kind: 'generated' },
  {
    pattern: /(?:^|\/)(?:tests?|__tests__|specs?|fixtures)\/|[._-](?:test|spec)\.\w+$|_test\.\w+$/i,
    kind: 'test',
  },
  {
    pattern: /(?:^|\/)(?:changelog|changes|history|license|licence|copying|notice|authors)(?:\.\w+)?$/i,
    kind: 'history',
  },
  { pattern: /(?:^|\/)readme(?:\.\w+)?$/i, kind: 'readme' },
  { pattern: /\.(?:md|mdx|markdown|txt|rst|adoc|org|tex)$/i, kind: 'docs' },
  { pattern: /(?:^|\/)(?:package|composer|deno|tsconfig)\.json$/i, kind: 'code' },
  { pattern: /\.(?:json|jsonl|ndjson|csv|tsv|xml|log|ipynb|po)$/i, kind: 'data' },
];

/**
 * Whether a line of code only imports or re-exports names. There are so many such lines that they would crowd out lines
 * that explain the names. Blank lines and names inside the braces of an import count too.
 */
export function isImportLine(line: string): boolean {
  return importPatterns.some((pattern) => pattern.test(line));
}

const importPatterns: readonly RegExp[] = [
  /^\s*$/,
  /^(?:import|#include|package)\b/,
  /^(?:export (?:type )?[{*].*|\} )from ['"]/,
  /^(?:import|export) (?:type )?\{$/,
  /^\s+(?:type )?\w+,$/,
  /^from \S+ import\b/,
  /^use [\w:]+|^using [\w.]+;/,
  /^(?:const|let|var) .*\brequire\(/,
];
