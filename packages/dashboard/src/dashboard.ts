import type { Json } from '@pawl/core';
import { listSecretValues } from '@pawl/runtime/logging';
import type { EntryStorage } from '@pawl/runtime/storage';
import { getProcessOwner, type Store } from '@pawl/runtime/store';
import { Hono, type Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { fileURLToPath } from 'node:url';
import { createAssetFiles, type AssetFiles } from './assets.ts';
import { createMemoryFeedbackStore, type VerdictFeedbackStore } from './hosts/feedback-store.ts';
import type { SessionHost } from './hosts/session-host.ts';
import { toErrorResponse } from './http/api-error.ts';
import { streamLimits } from './http/event-stream.ts';
import { acceptsGzip, createSecretMask } from './http/json-response.ts';
import { readBodyBytes } from './http/request-input.ts';
import { buildOpenApiDocument } from './openapi.ts';
import { createStreamLimiter, type RouteContext } from './routes/route.ts';
import { apiRoutes } from './routes/routes.ts';
import {
  createHostCheck,
  hostGuard,
  getCookieName,
  isCrossOrigin,
  rateLimit,
  requireAuth,
  createTokenBucket,
  type RateLimit,
} from './security/middleware.ts';
import { createLoginManager, createSecret } from './security/login-manager.ts';
import { createEventFeeds } from './sessions/event-feed.ts';
import { createSessionListWatcher } from './sessions/list-watcher.ts';
import { createSessionLister } from './sessions/session-lister.ts';

export type DashboardOptions = {
  readonly store: Store;
  readonly host: SessionHost;
  /** Folder with the built web app; defaults to the one bundled with this package. */
  readonly assets?: string;
  /** API token for programmatic access; generated if omitted. */
  readonly token?: string;
  /** The address the server listens on, and additional host names it accepts. */
  readonly hostname?: string;
  readonly names?: readonly string[];
  readonly owner?: string;
  readonly feedback?: VerdictFeedbackStore;
  readonly openStorage?: (metadata: Json) => Promise<EntryStorage | null>;
  readonly metrics?: () => Promise<string>;
  /** Values to mask in every response; defaults to the keys in the environment. */
  readonly secrets?: readonly string[];
  readonly version?: string;
  readonly now?: () => number;
  /** A monotonic clock in milliseconds, used for rate limits. */
  readonly clock?: () => number;
  /** How often to poll the store while a client is connected. */
  readonly pollMs?: number;
  readonly rate?: RateLimit;
  readonly streamsMax?: number;
  readonly slowMs?: number;
  /** Receives unexpected errors. */
  readonly onError?: (message: string) => void;
};

export type DashboardServer = {
  readonly app: Hono;
  /** Returns a single-use path that logs a browser in. */
  readonly loginPath: () => string;
};

/** Creates the dashboard's server without binding it to a port. */
export function createDashboard(options: DashboardOptions): DashboardServer {
  const { token = createSecret(), hostname = '127.0.0.1', names = [], onError = () => undefined } = options;
  const { clock = () => performance.now() } = options;
  const logins = createLoginManager(token, clock);
  const routeContext = createRouteContext(options, token);
  const app = new Hono();
  app.onError((error, context) => {
    const { status, body } = toErrorResponse(error);
    if (status === 500) onError(String(routeContext.mask(error.stack ?? error.message)));
    return context.json(routeContext.mask(body) as object, status);
  });
  app.use(hostGuard(createHostCheck(hostname, names)));
  addLoginRoutes(app, logins, clock);
  app.use('/api/*', requireAuth(logins));
  app.use('/api/*', rateLimit(options.rate ?? { perSecond: 50, burst: 200 }, clock));
  app.use('/metrics', requireAuth(logins));
  addApiRoutes(app, routeContext);
  addAssetRoutes(app, createAssetFiles(options.assets ?? bundledAssetsFolder));
  return { app, loginPath: () => `/login?code=${logins.createCode()}` };
}

function createRouteContext(options: DashboardOptions, token: string): RouteContext {
  const { store, host, pollMs = 200, secrets = listSecretValues(process.env) } = options;
  const lister = createSessionLister(store, host);
  return {
    store,
    host,
    lister,
    owner: options.owner ?? getProcessOwner(),
    mask: createSecretMask([...secrets, token]),
    feedback: options.feedback ?? createMemoryFeedbackStore(),
    listWatcher: createSessionListWatcher({ store, host, lister, pollMs: Math.max(500, pollMs) }),
    feeds: createEventFeeds(store, pollMs),
    openStorage: options.openStorage ?? (async () => null),
    metrics: options.metrics ?? null,
    now: options.now ?? Date.now,
    version: options.version ?? '0',
    slowMs: options.slowMs ?? streamLimits.slowMs,
    streams: createStreamLimiter(options.streamsMax ?? 64),
  };
}

const bundledAssetsFolder = fileURLToPath(new URL('../dist', import.meta.url));

const loginRate = { perSecond: 1, burst: 10 } as const;
const loginBytesMax = 10_000;

function addLoginRoutes(app: Hono, logins: ReturnType<typeof createLoginManager>, now: () => number): void {
  const bucket = createTokenBucket({ ...loginRate, now });
  const logIn = (context: Context): Response => {
    setCookie(context, getCookieName(context), logins.cookieValue, {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    });
    return context.redirect('/', 303);
  };
  app.use('/login', async (context, next) => {
    context.header('cache-control', 'no-store');
    await next();
  });
  app.get('/login', (context) => {
    const code = context.req.query('code');
    if (code === undefined) return context.html(renderLoginPage(null));
    return bucket.take() && logins.redeem(code) ? logIn(context) : rejectLogin(context, 'code');
  });
  app.post('/login', async (context) => {
    const form = new URLSearchParams((await readBodyBytes(context, loginBytesMax)).toString('utf8'));
    const isValid = bucket.take() && !isCrossOrigin(context) && logins.isToken(form.get('token') ?? '');
    return isValid ? logIn(context) : rejectLogin(context, 'token');
  });
}

function rejectLogin(context: Context, failure: 'code' | 'token'): Response {
  return context.html(renderLoginPage(failure), 401);
}

/** The text format of Prometheus; without the version, Prometheus would have to guess. */
const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

function addApiRoutes(app: Hono, routeContext: RouteContext): void {
  for (const { method, path, handle } of apiRoutes) {
    const pattern = `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    app.on(method.toUpperCase(), pattern, (context) => handle(context, routeContext));
  }
  app.get('/api/v1/openapi.json', (context) => context.json(buildOpenApiDocument(routeContext.version)));
  app.get('/metrics', async (context) =>
    routeContext.metrics === null
      ? context.text('This server collects no metrics.\n', 404)
      : context.text(await routeContext.metrics(), 200, { 'content-type': metricsContentType }),
  );
  app.all('/api/*', (context) =>
    context.json(
      { error: { code: 'not-found', message: 'Unknown API route.', hint: 'See /api/v1/openapi.json.' } },
      404,
    ),
  );
}

function addAssetRoutes(app: Hono, assets: AssetFiles): void {
  app.get('*', (context) => {
    const { path } = context.req;
    const asset = assets.find(path);
    if (asset === null) {
      const isEntry = path === '/' || path === '/index.html';
      return isEntry ? context.html(notBuiltPage, 503) : context.text('Page not found.\n', 404);
    }
    context.header('content-type', asset.type);
    context.header('cache-control', asset.isImmutable ? 'public, max-age=31536000, immutable' : 'no-store');
    context.header('vary', 'accept-encoding');
    if (asset.gzipped === null || !acceptsGzip(context)) return context.body(asset.bytes);
    context.header('content-encoding', 'gzip');
    return context.body(asset.gzipped);
  });
}

/** The few pages that the server renders itself, without scripts. */

const notBuiltPage: string = renderPage(
  'Not built',
  '<p>The dashboard pages are not built. In a Pawl checkout, build them with:</p><pre>npm run build -w packages/dashboard</pre><p>The HTTP API works without them; see <code>/api/v1/openapi.json</code>.</p>',
);

/** `failure` is the kind of login that failed, or null on the first attempt. */
function renderLoginPage(failure: 'code' | 'token' | null): string {
  const failureTexts = {
    code: '<p role="alert">This link has been used already or has expired. Press Enter in the terminal of <code>pawl dashboard</code> to get a new one.</p>',
    token: '<p role="alert">Invalid token.</p>',
  };
  return renderPage(
    'Log in',
    `${failure === null ? '' : failureTexts[failure]}<p>Open the link that <code>pawl dashboard</code> printed, or enter the token from <code>PAWL_DASHBOARD_TOKEN</code>.</p><form method="post" action="/login"><label>Token <input type="password" name="token" autocomplete="off" required></label> <button>Log in</button></form>`,
  );
}

function renderPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Pawl: ${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>\n`;
}
