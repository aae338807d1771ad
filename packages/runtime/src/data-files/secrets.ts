import type { DataPath } from './parse-data-file.ts';

/** Matches complete keys and tokens of well-known services; every part is bounded or ends the match. */
export const secretPattern: RegExp =
  /\b(?:sk-[\w-]{16,}|[prs]k_(?:live|test)_\w{10,}|gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16,}|AIza[\w-]{30,}|hf_\w{16,}|npm_\w{16,}|eyJ[\w-]{10,400}\.eyJ[\w.-]*)|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/;

/** Regular expression source for the ending of names that hold secrets. */
export const secretNameSource =
  '(?:api[-_]?key|access[-_]?key|token|secret|passw(?:or)?d|credential|authorization|private[-_]?key)';

const secretNamePattern = new RegExp(`${secretNameSource}$`, 'i');

const scannedCharsMax = 20_000;

export function isLikelySecret(text: string): boolean {
  return secretPattern.test(text.slice(0, scannedCharsMax));
}

/** Whether the value of a key with this name is probably a secret. */
export function isSecretKey(key: string): boolean {
  return secretNamePattern.test(key.slice(0, 200));
}

/** Returns the paths of secrets written in plain text. References such as `${TOKEN}` are allowed. */
export function findSecrets(value: unknown, path: DataPath = []): readonly DataPath[] {
  if (typeof value === 'string') return isSecretValue(value, path) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value)
    ? value.map((part, index) => [index, part] as const)
    : Object.entries(value);
  return entries.flatMap(([key, part]) => findSecrets(part, [...path, key]));
}

function isSecretValue(text: string, path: DataPath): boolean {
  if (isLikelySecret(text)) return true;
  const key = path.at(-1);
  return typeof key === 'string' && isSecretKey(key) && text !== '' && !text.includes('${');
}

/** Shorter values are unlikely to be secrets, and redacting them would make messages unreadable. */
const secretLengthMin = 6;

/** Redacts the given secrets and anything that looks like an API key, because errors end up in logs. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= secretLengthMin) clean = clean.replaceAll(secret, keyMask);
  }
  return clean.replace(keyPattern, keyMask).replace(namedKeyPattern, `$1${keyMask}`);
}

const keyMask = '[key]';

/** Shapes of providers' API keys, complete or partially masked with asterisks. */
const keyPattern = /\b(?:sk|pk|rk|gsk|xai)-[\w*-]{8,}|\bAIza[\w*-]{10,}/g;

const namedKeyPattern = /(\bbearer\s{1,4}|[?&](?:api_?)?key=|x-(?:goog-)?api-key:\s{0,4})[^\s"'&]{4,}/gi;
