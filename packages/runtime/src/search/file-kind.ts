/** What a file is for, as far as its name tells. */
type FileKind = 'readme' | 'docs' | 'code' | 'test' | 'history' | 'data' | 'generated';

/** Of two passages that match equally well, the one written to be read comes first. */
const weights: Record<FileKind, number> = {
  /** Written for those who know nothing yet. */
  readme: 1.15,
  docs: 1,
  code: 0.85,
  test: 0.6,
  /** Says what changed, hardly ever what is. */
  history: 0.6,
  data: 0.5,
  /** Lock files and the like: still found when nothing else is. */
  generated: 0.1,
};

export function weightOf(path: string): number {
  return weights[kindOf(path)];
}

function kindOf(path: string): FileKind {
  const rule = rules.find(({ pattern }) => pattern.test(path));
  return rule?.kind ?? 'code';
}

/** Plain text is often written in the same way. */
export function isMarkdown(path: string): boolean {
  return /\.(?:md|mdx|markdown|txt)$/i.test(path);
}

/** The first that fits decides. */
const rules: readonly { readonly pattern: RegExp; readonly kind: FileKind }[] = [
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
