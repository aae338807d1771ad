import { getCookie } from 'hono/cookie';
import type { Context, MiddlewareHandler } from 'hono';
import { ApiError } from '../http/api-error.ts';
import { createBucket } from './bucket.ts';
import { securityHeaders } from './headers.ts';
import type { Logins } from './logins.ts';

/** On every answer, and before any work: who is meant by the request has to be us. */
export function atTheDoor(isOurHost: (header: string) => boolean): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    if (!isOurHost(context.req.header('host') ?? '')) {
      throw new ApiError(
        'forbidden',
        'This server does not go by that name.',
        'Open it under the address that pawl dashboard prints.',
      );
    }
    await next();
  };
}

/** A browser keeps cookies of all ports of a host together, so the port is part of the name. */
export function cookieName({ req }: Context): string {
  const port = /:(\d{1,5})$/.exec(req.header('host') ?? '')?.[1] ?? '80';
  return `pawl-${port}`;
}

/** Lets in who has the token or the cookie, and no page but our own. */
export function onlyFriends(logins: Logins): MiddlewareHandler {
  return async (context, next) => {
    context.header('cache-control', 'no-store');
    if (!isFriend(context, logins)) {
      throw new ApiError(
        'unauthorized',
        'You are not logged in.',
        'Open the link that pawl dashboard prints, or send Authorization: Bearer with the token.',
      );
    }
    if (isFromElsewhere(context)) {
      throw new ApiError('forbidden', 'Requests of other pages are not answered.');
    }
    if (context.req.method !== 'GET' && context.req.header('x-pawl') !== '1') {
      throw new ApiError('forbidden', 'A request that changes something needs the header X-Pawl: 1.');
    }
    await next();
  };
}

function isFriend(context: Context, logins: Logins): boolean {
  const bearer = /^bearer (\S{1,500})$/i.exec(context.req.header('authorization') ?? '')?.[1];
  if (bearer !== undefined) return logins.isToken(bearer);
  const pass = getCookie(context, cookieName(context));
  return pass !== undefined && logins.isPass(pass);
}

/** Browsers say which page asks. What says nothing is no browser. */
export function isFromElsewhere({ req }: Context): boolean {
  const site = req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = req.header('origin');
  return origin !== undefined && hostIn(origin) !== req.header('host')?.toLowerCase();
}

function hostIn(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host.toLowerCase() : null;
}

export type RateLimit = { readonly perSecond: number; readonly burst: number };

/** There is one token, so there is one count. */
export function notTooOften(limit: RateLimit, now: () => number): MiddlewareHandler {
  const bucket = createBucket({ ...limit, now });
  return async (context, next) => {
    if (!bucket.take()) {
      context.header('retry-after', '1');
      throw new ApiError('too-many', `More than ${limit.perSecond} requests a second.`, 'Wait a second.');
    }
    await next();
  };
}
