/** Whether a path, with `/` between names, fits a pattern. */
export type Glob = (path: string) => boolean;

/** How many patterns the braces in one may stand for. */
const alternativesMax = 100;

/**
 * Reads a pattern: `**` for any number of folders, `*` and `?` within a name, `[a-z]`, `[!a-z]`, `{a,b}`; a backslash
 * makes the next character an ordinary one. Null when its braces stand for too many patterns.
 */
export function parseGlob(pattern: string): Glob | null {
  const alternatives = expandBraces(pattern);
  if (alternatives === null) return null;
  const compiled = alternatives.map(compilePath);
  return (path) => {
    const names = path.split('/');
    return compiled.some((each) => fitsPath(each, names));
  };
}

/** Reads a pattern for one name or word, where a slash is a character like any other and there are no braces. */
export function parseNameGlob(pattern: string): (name: string) => boolean {
  const compiled = compileName(pattern);
  return (name) => fitsName(compiled, name);
}

/** A pattern that only this path fits. */
export function literalGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
}

/** The names of a pattern: `**`, or what its characters may be. */
export type PathPattern = readonly ('**' | NamePattern)[];
type NamePattern = readonly CharPattern[];
type CharPattern = '*' | ((char: string) => boolean);

/** Without braces, as in a `.gitignore`. */
export function compilePath(pattern: string): PathPattern {
  return pattern.split('/').map((name) => (name === '**' ? '**' : compileName(name)));
}

export function fitsPath(pattern: PathPattern, names: readonly string[]): boolean {
  return fits(pattern, names, {
    isAnyNumber: (part) => part === '**',
    fitsOne: (part, name) => part !== '**' && fitsName(part, name),
  });
}

function fitsName(pattern: NamePattern, name: string): boolean {
  return fits(pattern, Array.from(name), {
    isAnyNumber: (part) => part === '*',
    fitsOne: (part, char) => part !== '*' && part(char),
  });
}

function compileName(name: string): NamePattern {
  // A class has an end within sight, so that a name of nothing but opening brackets is read in linear time.
  const tokens = name.match(/\\.|\[[!^]?\]?(?:\\.|[^\]\\]){0,100}\]|./gsu) ?? [];
  return tokens.map((token): CharPattern => {
    if (token === '*') return '*';
    if (token === '?') return () => true;
    if (token.length > 2 && token.startsWith('[')) return charClass(token.slice(1, -1));
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    return (char) => char === literal;
  });
}

function charClass(inner: string): (char: string) => boolean {
  const negated = /^[!^]/.test(inner);
  const members = inner.slice(negated ? 1 : 0).match(/\\?.-\\?.|\\?./gsu) ?? [];
  const ranges = members.map((member) => Array.from(member.replaceAll(/\\(.)/gsu, '$1')));
  return (char) =>
    negated !== ranges.some((range) => char >= (range[0] ?? '') && char <= (range[2] ?? range[0] ?? ''));
}

/** What one place of a pattern means: any number of items, or whether it fits one item. */
export type Part<Pattern, Item> = {
  readonly isAnyNumber: (pattern: Pattern) => boolean;
  readonly fitsOne: (pattern: Pattern, item: Item) => boolean;
};

/**
 * Matches with wildcards in time proportional to pattern times items. Regular expressions made from patterns that come
 * from a model or a folder could take for ever; going back to the last wildcard only is enough and cannot.
 */
export function fits<Pattern, Item>(
  patterns: readonly Pattern[],
  items: readonly Item[],
  part: Part<Pattern, Item>,
): boolean {
  let at = 0;
  let wildcard: { readonly next: number; taken: number } | null = null;
  for (let index = 0; index < items.length;) {
    const pattern = patterns[at];
    if (pattern !== undefined && part.isAnyNumber(pattern)) {
      wildcard = { next: ++at, taken: index };
    } else if (pattern !== undefined && part.fitsOne(pattern, items[index] as Item)) {
      at++;
      index++;
    } else if (wildcard !== null) {
      at = wildcard.next;
      index = ++wildcard.taken;
    } else {
      return false;
    }
  }
  return patterns.slice(at).every((pattern) => part.isAnyNumber(pattern));
}

/** The patterns that one with braces stands for; braces that do not close or hold no comma are ordinary characters. */
function expandBraces(pattern: string): readonly string[] | null {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = innermostBraces(next);
    if (braces === null) done.push(next);
    else open.push(...braces);
    if (done.length + open.length > alternativesMax) return null;
  }
  return done;
}

/** One pattern for each alternative of the first braces that have none within. */
function innermostBraces(pattern: string): readonly string[] | null {
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
      if (commas.length > 0) return alternativesOf(pattern, [start, ...commas, at]);
      start = -1;
    }
  }
  return null;
}

function alternativesOf(pattern: string, marks: readonly number[]): readonly string[] {
  const before = pattern.slice(0, marks[0]);
  const after = pattern.slice((marks.at(-1) ?? 0) + 1);
  return marks.slice(1).map((mark, index) => before + pattern.slice((marks[index] ?? 0) + 1, mark) + after);
}
