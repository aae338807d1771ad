import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { ApiError } from '../http/api-error.ts';
import type { LoginManager } from './login-manager.ts';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Sets the security headers and rejects requests whose Host header does not name this server. */
export function hostGuard(isOurHost: (header: string) => boolean): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    if (!isOurHost(context.req.header('host') ?? '')) {
      throw new ApiError(
        'forbidden',
        'The Host header does not name this server.',
        'Open the address that pawl dashboard prints.',
      );
    }
    await next();
  };
}

/** Browsers share cookies between all ports of a host, so the port is part of the cookie name. */
export function getCookieName({ req }: Context): string {
  const port = /:(\d{1,5})$/.exec(req.header('host') ?? '')?.[1] ?? '80';
  return `pawl-${port}`;
}

/** Requires the token or the cookie, and rejects cross-origin requests. */
export function requireAuth(logins: LoginManager): MiddlewareHandler {
  return async (context, next) => {
    context.header('cache-control', 'no-store');
    if (!isAuthenticated(context, logins)) {
      throw new ApiError(
        'unauthorized',
        'You are not logged in.',
        'Open the link that pawl dashboard prints, or send Authorization: Bearer with the token.',
      );
    }
    if (isCrossOrigin(context)) {
      throw new ApiError('forbidden', 'Cross-origin requests are rejected.');
    }
    if (context.req.method !== 'GET' && context.req.header('x-pawl') !== '1') {
      throw new ApiError('forbidden', 'Requests that change state require the header X-Pawl: 1.');
    }
    await next();
  };
}

function isAuthenticated(context: Context, logins: LoginManager): boolean {
  const bearer = /^bearer (\S{1,500})$/i.exec(context.req.header('authorization') ?? '')?.[1];
  if (bearer !== undefined) return logins.isToken(bearer);
  const cookieValue = getCookie(context, getCookieName(context));
  return cookieValue !== undefined && logins.isCookieValue(cookieValue);
}

/** Browsers send the origin of a request; a client that sends none is not a browser. */
export function isCrossOrigin({ req }: Context): boolean {
  const fetchSite = req.header('sec-fetch-site');
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true;
  const origin = req.header('origin');
  return origin !== undefined && parseOriginHost(origin) !== req.header('host')?.toLowerCase();
}

function parseOriginHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host.toLowerCase() : null;
}

export type RateLimit = { readonly perSecond: number; readonly burst: number };

/** One limit for all clients, because there is only one token. */
export function rateLimit(limit: RateLimit, now: () => number): MiddlewareHandler {
  const bucket = createTokenBucket({ ...limit, now });
  return async (context, next) => {
    if (!bucket.take()) {
      context.header('retry-after', '1');
      throw new ApiError(
        'too-many',
        `Rate limit of ${limit.perSecond} requests per second exceeded.`,
        'Retry after a second.',
      );
    }
    await next();
  };
}

/** Pages may load only resources from this server, and no site may embed them in a frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every response. */
const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

type TokenBucketOptions = {
  readonly perSecond: number;
  /** Number of requests allowed at once. */
  readonly burst: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
};

/** A token bucket: each request takes one token, and a request is rejected if none is left. */
export function createTokenBucket({ perSecond, burst, now }: TokenBucketOptions): { take(): boolean } {
  let tokens = burst;
  let refilledAt = now();
  return {
    take() {
      const elapsedMs = now() - refilledAt;
      refilledAt += elapsedMs;
      tokens = Math.min(burst, tokens + (elapsedMs / 1_000) * perSecond);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

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
