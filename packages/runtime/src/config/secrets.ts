import type { WrittenPath } from '../written-files/written-text.ts';

/** The whole of what keys and tokens of well-known services look like; every part is bounded or ends the match. */
export const secretShapes: RegExp =
  /\b(?:sk-[\w-]{16,}|[prs]k_(?:live|test)_\w{10,}|gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16,}|AIza[\w-]{30,}|hf_\w{16,}|npm_\w{16,}|eyJ[\w-]{10,400}\.eyJ[\w.-]*)|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/;

/** Under names that end so stands a secret; the source of a regular expression. */
export const secretNames =
  '(?:api[-_]?key|access[-_]?key|token|secret|passw(?:or)?d|credential|authorization|private[-_]?key)';

const secretName = new RegExp(`${secretNames}$`, 'i');

const lookedAtChars = 20_000;

/** Whether a text is probably a secret by itself. */
export function looksSecret(text: string): boolean {
  return secretShapes.test(text.slice(0, lookedAtChars));
}

/** Whether what stands under such a key is probably a secret. */
export function isSecretKey(key: string): boolean {
  return secretName.test(key.slice(0, 200));
}

/** Where in a value there is a secret, written out. One that is only named, as in `${TOKEN}`, is as it should be. */
export function secretsIn(value: unknown, path: WrittenPath = []): readonly WrittenPath[] {
  if (typeof value === 'string') return isSecretAt(value, path) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value)
    ? value.map((part, index) => [index, part] as const)
    : Object.entries(value);
  return entries.flatMap(([key, part]) => secretsIn(part, [...path, key]));
}

function isSecretAt(text: string, path: WrittenPath): boolean {
  if (looksSecret(text)) return true;
  const key = path.at(-1);
  return typeof key === 'string' && isSecretKey(key) && text !== '' && !text.includes('${');
}
