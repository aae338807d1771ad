import { Minimatch, braceExpand } from 'minimatch';

/** Whether a path with `/` separators matches a pattern. */
export type GlobMatcher = (path: string) => boolean;

/** Maximum number of patterns that braces may expand to. */
const alternativesMax = 100;

/** The longest pattern that minimatch accepts, less the markers that `encodeNames` adds. */
const patternLengthMax = 30_000;

/**
 * Parses a glob: `**` for any number of folders, `*` and `?` within a name, `[a-z]`, `[!a-z]`, `{a,b}`; a backslash
 * escapes the next character. Null if it is too long or its braces expand to too many patterns.
 */
export function parseGlob(pattern: string): GlobMatcher | null {
  if (pattern.length > patternLengthMax) return null;
  const alternatives = braceExpand(pattern, { braceExpandMax: alternativesMax + 1 });
  if (alternatives.length > alternativesMax) return null;
  const matchers = alternatives.map((each) => compileNames(each.split('/')));
  return (path) => {
    const names = path.split('/');
    return matchers.some((matches) => matches(names));
  };
}

/** Parses a pattern for one name or word, in which slashes and braces are literal. */
export function parseNameGlob(pattern: string): (name: string) => boolean {
  const matches = compileNames([pattern === '**' ? '*' : pattern]);
  return (name) => matches([name]);
}

/** Compiles a pattern for a list of names or words; `**` matches any number of them. */
export function compileNames(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const encoded = encodeNames(patterns.map((each) => (each === '**' ? each : encodeName(each))));
  const matcher = new Minimatch(encoded, { nobrace: true, noext: true, platform: 'linux' });
  return (names) => matcher.match(encodeNames(names.map(encodeName)));
}

/** Returns a pattern that matches only this path. */
export function toLiteralGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
}

/**
 * The mark before each name turns off what minimatch does for shells: there `*` and `**` match neither `..` nor an empty
 * name, so a deny rule for `**` would not cover a path outside of the folder. A slash within a word is no separator.
 */
function encodeName(name: string): string {
  return `=${name.replaceAll('/', '\0')}`;
}

/** The mark at the end lets a final `**` match no name at all, so that `src/**` includes `src`. */
function encodeNames(names: readonly string[]): string {
  return `${names.join('/')}/=`;
}
