import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Authenticates clients by API token or by login code. */
export type LoginManager = {
  /** Creates a single-use login code. */
  createCode(): string;
  /** Whether the code is valid; redeeming invalidates it. */
  redeem(code: string): boolean;
  isToken(token: string): boolean;
  /** Value of the login cookie; the browser never receives the token itself. */
  readonly cookieValue: string;
  isCookieValue(pass: string): boolean;
};

/** Lifetime of a login code, and the maximum number of unused codes. */
const loginCodeMs = 60 * 60 * 1_000;
const loginCodesMax = 16;

export function createLoginManager(token: string, now: () => number): LoginManager {
  const codes = new Map<string, number>();
  const cookieValue = createHash('sha256').update(`pawl dashboard pass\n${token}`).digest('base64url');
  return {
    cookieValue,
    isCookieValue: (candidate) => isEqualConstantTime(candidate, cookieValue),
    isToken: (candidate) => isEqualConstantTime(candidate, token),
    createCode() {
      const code = createSecret();
      const oldest = codes.keys().next().value;
      if (codes.size >= loginCodesMax && oldest !== undefined) codes.delete(oldest);
      codes.set(code, now() + loginCodeMs);
      return code;
    },
    redeem(candidate) {
      const match = [...codes].find(([code]) => isEqualConstantTime(code, candidate));
      if (match === undefined) return false;
      codes.delete(match[0]);
      return now() < match[1];
    },
  };
}

/** Creates a random secret with 256 bits of entropy. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares two strings in constant time, so that the duration reveals nothing about where they differ. */
function isEqualConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestText(one), digestText(other));
}

function digestText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
