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
