import { hash } from 'node:crypto';

/*
 * Ids are made from what is known of a session, never at random. So whoever takes a session up goes on with the same trace, and
 * can name spans that somebody else began, without anything being handed over.
 */

/** One trace for each session. */
export function traceIdOf(session: string): string {
  return digest(['trace', session], 32);
}

/** `key` names one span of a session. */
export function spanIdOf(session: string, key: string): string {
  return digest(['span', session, key], 16);
}

/** As W3C Trace Context writes it. */
export function traceparentOf(session: string, key: string): string {
  return `00-${traceIdOf(session)}-${spanIdOf(session, key)}-01`;
}

/** Neither kind of id may be all zeros, which no digest will be in the life of the universe. */
function digest(parts: readonly string[], chars: number): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, chars);
}
