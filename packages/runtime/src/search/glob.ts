/** Whether a path with `/` separators matches a pattern. */
export type GlobMatcher = (path: string) => boolean;

/** Maximum number of patterns that braces may expand to. */
const alternativesMax = 100;

/**
 * Parses a glob: `**` for any number of folders, `*` and `?` within a name, `[a-z]`, `[!a-z]`, `{a,b}`; a backslash
 * escapes the next character. Null if its braces expand to too many patterns.
 */
export function parseGlob(pattern: string): GlobMatcher | null {
  const alternatives = expandBraces(pattern);
  if (alternatives === null) return null;
  const compiled = alternatives.map(compilePathPattern);
  return (path) => {
    const names = path.split('/');
    return compiled.some((each) => matchesPath(each, names));
  };
}

/** Parses a pattern for one name or word, in which slashes and braces are literal. */
export function parseNameGlob(pattern: string): (name: string) => boolean {
  const compiled = compileNamePattern(pattern);
  return (name) => matchesName(compiled, name);
}

/** Returns a pattern that matches only this path. */
export function toLiteralGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
}

/** The segments of a pattern: `**`, or a list of character matchers. */
export type PathPattern = readonly ('**' | NamePattern)[];
type NamePattern = readonly CharPattern[];
type CharPattern = '*' | ((char: string) => boolean);

/** Without braces, as in a `.gitignore`. */
export function compilePathPattern(pattern: string): PathPattern {
  return pattern.split('/').map((name) => (name === '**' ? '**' : compileNamePattern(name)));
}

export function matchesPath(pattern: PathPattern, names: readonly string[]): boolean {
  return matchesWildcards(pattern, names, {
    isWildcard: (part) => part === '**',
    matchesItem: (part, name) => part !== '**' && matchesName(part, name),
  });
}

function matchesName(pattern: NamePattern, name: string): boolean {
  return matchesWildcards(pattern, Array.from(name), {
    isWildcard: (part) => part === '*',
    matchesItem: (part, char) => part !== '*' && part(char),
  });
}

function compileNamePattern(name: string): NamePattern {
  // The length of a character class is bounded, so that a name of only opening brackets is parsed in linear time.
  const tokens = name.match(/\\.|\[[!^]?\]?(?:\\.|[^\]\\]){0,100}\]|./gsu) ?? [];
  return tokens.map((token): CharPattern => {
    if (token === '*') return '*';
    if (token === '?') return () => true;
    if (token.length > 2 && token.startsWith('[')) return compileCharClass(token.slice(1, -1));
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    return (char) => char === literal;
  });
}

function compileCharClass(inner: string): (char: string) => boolean {
  const negated = /^[!^]/.test(inner);
  const members = inner.slice(negated ? 1 : 0).match(/\\?.-\\?.|\\?./gsu) ?? [];
  const ranges = members.map((member) => Array.from(member.replaceAll(/\\(.)/gsu, '$1')));
  return (char) =>
    negated !== ranges.some((range) => char >= (range[0] ?? '') && char <= (range[2] ?? range[0] ?? ''));
}

/** The meaning of one pattern element: any number of items, or a test for one item. */
export type WildcardRules<Pattern, Item> = {
  readonly isWildcard: (pattern: Pattern) => boolean;
  readonly matchesItem: (pattern: Pattern, item: Item) => boolean;
};

/**
 * Matches wildcards in time proportional to pattern length times item count, by backtracking only to the last wildcard.
 * Regular expressions built from untrusted patterns could take exponential time.
 */
export function matchesWildcards<Pattern, Item>(
  patterns: readonly Pattern[],
  items: readonly Item[],
  rules: WildcardRules<Pattern, Item>,
): boolean {
  let at = 0;
  let wildcard: { readonly next: number; taken: number } | null = null;
  for (let index = 0; index < items.length;) {
    const pattern = patterns[at];
    if (pattern !== undefined && rules.isWildcard(pattern)) {
      wildcard = { next: ++at, taken: index };
    } else if (pattern !== undefined && rules.matchesItem(pattern, items[index] as Item)) {
      at++;
      index++;
    } else if (wildcard !== null) {
      at = wildcard.next;
      index = ++wildcard.taken;
    } else {
      return false;
    }
  }
  return patterns.slice(at).every((pattern) => rules.isWildcard(pattern));
}

/** Expands braces into alternatives; braces that do not close or contain no comma are literal. */
function expandBraces(pattern: string): readonly string[] | null {
  const expanded: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const braces = expandInnermostBraces(next);
    if (braces === null) expanded.push(next);
    else pending.push(...braces);
    if (expanded.length + pending.length > alternativesMax) return null;
  }
  return expanded;
}

/** Expands the first braces that contain no others. */
function expandInnermostBraces(pattern: string): readonly string[] | null {
  let start = -1;
  let commas: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') {
      at += 1;
    } else if (char === '{') {
      start = at;
      commas = [];
    } else if (char === ',' && start !== -1) {
      commas.push(at);
    } else if (char === '}' && start !== -1) {
      if (commas.length > 0) return listAlternatives(pattern, [start, ...commas, at]);
      start = -1;
    }
  }
  return null;
}

function listAlternatives(pattern: string, offsets: readonly number[]): readonly string[] {
  const before = pattern.slice(0, offsets[0]);
  const after = pattern.slice((offsets.at(-1) ?? 0) + 1);
  return offsets
    .slice(1)
    .map((offset, index) => before + pattern.slice((offsets[index] ?? 0) + 1, offset) + after);
}
