import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Why a request is not accepted. */
export type RequestRejection = { readonly status: 403 | 415; readonly reason: string };

export type RequestGuardOptions = {
  /** Origins to accept besides those of this machine and of applications. */
  readonly allowedOrigins?: readonly string[];
};

/**
 * Creates the check that keeps web pages away from the proxy, and thereby from the user's models: a page can send
 * requests to this machine although it cannot read the replies. Returns null for an accepted request.
 */
export function createRequestGuard({
  allowedOrigins = [],
}: RequestGuardOptions): (req: IncomingMessage, isModelRoute: boolean) => RequestRejection | null {
  const allowed = new Set(allowedOrigins.map(normalizeOrigin));
  const isAllowed = (origin: string): boolean =>
    isLocalOrigin(origin) || allowed.has(normalizeOrigin(origin));
  return ({ method, headers }, isModelRoute) => {
    const reason = findForbiddenReason(method, headers, isAllowed);
    if (reason !== null) return { status: 403, reason };
    const { 'content-type': type = '' } = headers;
    if (!isModelRoute || !simpleContentTypes.test(type)) return null;
    return {
      status: 415,
      reason: `The content type must be application/json, got ${JSON.stringify(type)}. Send the header "Content-Type: application/json".`,
    };
  };
}

function findForbiddenReason(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  isAllowed: (origin: string) => boolean,
): string | null {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!isLocalHost(host)) return 'Only requests from this machine are accepted.';
  if (origin !== undefined && !isAllowed(origin))
    return `Requests of web pages are refused, and this one has the origin ${JSON.stringify(origin)}. To accept it, restart the proxy with --allow-origin ${origin}`;
  if (origin === undefined && (site === 'cross-site' || site === 'same-site'))
    return `Requests of web pages are refused, and this one has the header "Sec-Fetch-Site: ${site}". Send it from a program instead.`;
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined)
    return 'CORS preflights of web pages are refused. Send the request from a program instead.';
  return null;
}

/** The content types that a web page may send to another origin without a preflight. */
const simpleContentTypes = /^\s*(?:text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Rejects DNS rebinding: a web page can resolve its own host name to this machine, but the Host header reveals it. */
function isLocalHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}

/**
 * Whether an origin belongs to this machine or to an application, such as vscode-file://vscode-app. "null" is none of
 * these, because a web page can have it by a sandboxed frame. Extensions run in web pages.
 */
function isLocalOrigin(origin: string): boolean {
  const [, scheme = '', host = ''] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/i.exec(origin) ?? [];
  if (/^https?$/i.test(scheme)) return isLocalHost(host);
  return scheme !== '' && !scheme.toLowerCase().endsWith('-extension');
}

function normalizeOrigin(origin: string): string {
  return origin.toLowerCase().replace(/\/$/, '');
}
