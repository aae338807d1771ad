import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Whether a host is a loopback address. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * Checks the Host header, which protects against DNS rebinding: another site can point its own name at this machine's
 * address, but its requests still carry that name. Numeric addresses are safe because they are not names.
 */
export function createHostCheck(bound: string, more: readonly string[] = []): (header: string) => boolean {
  const isEverywhere = bound === '0.0.0.0' || bound === '::';
  const names = new Set(
    ['localhost', bound, ...more, ...(isLoopbackHost(bound) ? [] : [hostname()])].map(toLowerText),
  );
  return (header) => {
    const name = parseHostHeader(header);
    if (name === null) return false;
    if (names.has(name) || isLoopbackHost(name)) return true;
    return isEverywhere && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  };
}

/** Returns the host of a Host header without its port. */
function parseHostHeader(header: string): string | null {
  const match = /^(\[[\da-f:.]{2,45}\]|[a-z\d._-]{1,253})(?::\d{1,5})?$/i.exec(header);
  return match?.[1] === undefined ? null : toLowerText(match[1]);
}

function toLowerText(text: string): string {
  return text.toLowerCase();
}
