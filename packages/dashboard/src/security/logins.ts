import { createHash, randomBytes } from 'node:crypto';
import { isSame } from './same.ts';

/** Who may come in: whoever has the token, or used a code in time. */
export type Logins = {
  /** A code for one login. */
  code(): string;
  /** Whether it is one of them; it never is again. */
  redeem(code: string): boolean;
  isToken(token: string): boolean;
  /** What a browser shows instead of the token, which it never gets to see. */
  readonly pass: string;
  isPass(pass: string): boolean;
};

/** How long a code is good for, and how many there can be at a time. */
const codeMs = 60 * 60 * 1_000;
const codesMax = 16;

export function createLogins(token: string, now: () => number): Logins {
  const codes = new Map<string, number>();
  const pass = createHash('sha256').update(`pawl dashboard pass\n${token}`).digest('base64url');
  return {
    pass,
    isPass: (given) => isSame(given, pass),
    isToken: (given) => isSame(given, token),
    code() {
      const code = newSecret();
      const oldest = codes.keys().next().value;
      if (codes.size >= codesMax && oldest !== undefined) codes.delete(oldest);
      codes.set(code, now() + codeMs);
      return code;
    },
    redeem(given) {
      const found = [...codes].find(([code]) => isSame(code, given));
      if (found === undefined) return false;
      codes.delete(found[0]);
      return now() < found[1];
    },
  };
}

/** More randomness than anybody can guess. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
