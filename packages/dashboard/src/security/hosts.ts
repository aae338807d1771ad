import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** The addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * Whether a request meant this server. A page of somebody else can give its own name this machine's address, and its requests
 * then come here; but they come under that name. An address in figures is nobody's name.
 */
export function hostCheck(bound: string, more: readonly string[] = []): (header: string) => boolean {
  const isEverywhere = bound === '0.0.0.0' || bound === '::';
  const names = new Set(['localhost', bound, ...more, ...(isLoopback(bound) ? [] : [hostname()])].map(lower));
  return (header) => {
    const name = nameIn(header);
    if (name === null) return false;
    if (names.has(name) || isLoopback(name)) return true;
    return isEverywhere && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  };
}

/** The host of a Host header, without its port. */
function nameIn(header: string): string | null {
  const match = /^(\[[\da-f:.]{2,45}\]|[a-z\d._-]{1,253})(?::\d{1,5})?$/i.exec(header);
  return match?.[1] === undefined ? null : lower(match[1]);
}

function lower(text: string): string {
  return text.toLowerCase();
}
