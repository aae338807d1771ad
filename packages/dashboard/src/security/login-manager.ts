import { createHash, randomBytes } from 'node:crypto';
import { isEqualConstantTime } from './constant-time.ts';

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
    isCookieValue: (given) => isEqualConstantTime(given, cookieValue),
    isToken: (given) => isEqualConstantTime(given, token),
    createCode() {
      const code = createSecret();
      const oldest = codes.keys().next().value;
      if (codes.size >= loginCodesMax && oldest !== undefined) codes.delete(oldest);
      codes.set(code, now() + loginCodeMs);
      return code;
    },
    redeem(given) {
      const found = [...codes].find(([code]) => isEqualConstantTime(code, given));
      if (found === undefined) return false;
      codes.delete(found[0]);
      return now() < found[1];
    },
  };
}

/** Creates a random secret with 256 bits of entropy. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}
