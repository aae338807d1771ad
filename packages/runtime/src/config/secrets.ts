/** Where in a file something is. */
export type ConfigPath = readonly (string | number)[];

/** What keys and tokens of well-known services begin with, and what a private key looks like. */
const knownShapes =
  /\b(?:sk-[\w-]{16}|gh[oprsu]_\w{16}|github_pat_\w{16}|glpat-[\w-]{16}|xox[abeoprs]-[\w-]{10}|AKIA[0-9A-Z]{16}|AIza[\w-]{30}|hf_\w{16}|npm_\w{16}|eyJ[\w-]{10,400}\.eyJ)|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/;

const tellingKey =
  /(?:api[-_]?key|access[-_]?key|token|secret|passw(?:or)?d|credential|authorization|private[-_]?key)$/i;

const lookedAtChars = 20_000;

/** Whether a text is probably a secret by itself. */
export function looksSecret(text: string): boolean {
  return knownShapes.test(text.slice(0, lookedAtChars));
}

/** Whether what stands under such a key is probably a secret. */
export function isSecretKey(key: string): boolean {
  return tellingKey.test(key.slice(0, 200));
}

/** Where in a value there is a secret, written out. One that is only named, as in `${TOKEN}`, is as it should be. */
export function secretsIn(value: unknown, path: ConfigPath = []): readonly ConfigPath[] {
  if (typeof value === 'string') return isSecretAt(value, path) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value)
    ? value.map((part, index) => [index, part] as const)
    : Object.entries(value);
  return entries.flatMap(([key, part]) => secretsIn(part, [...path, key]));
}

function isSecretAt(text: string, path: ConfigPath): boolean {
  if (looksSecret(text)) return true;
  const key = path.at(-1);
  return typeof key === 'string' && isSecretKey(key) && text !== '' && !text.includes('${');
}
