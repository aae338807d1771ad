/** Shorter than this nothing is a secret, and blotting it out would make a message unreadable. */
const secretLengthMin = 6;

/** Text without the secrets given, and without whatever looks like a key: errors end up in logs. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= secretLengthMin) clean = clean.replaceAll(secret, mark);
  }
  return clean.replace(keyLike, mark).replace(named, `$1${mark}`);
}

const mark = '[key]';

/** The shapes of keys that providers give out, whole or with stars in the middle. */
const keyLike = /\b(?:sk|pk|rk|gsk|xai)-[\w*-]{8,}|\bAIza[\w*-]{10,}/g;

const named = /(\bbearer\s{1,4}|[?&](?:api_?)?key=|x-(?:goog-)?api-key:\s{0,4})[^\s"'&]{4,}/gi;
