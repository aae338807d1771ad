import { fileURLToPath } from 'node:url';
import type { Json } from '@pawl/core';
import { secretValues, thisProcess, type Storage, type Store } from '@pawl/runtime';
import { Hono, type Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { createAssets, type Assets } from './assets.ts';
import type { Host } from './hosts/host.ts';
import { errorAnswer } from './http/api-error.ts';
import { takesGzip } from './http/answer.ts';
import { bytesOf } from './http/body.ts';
import { streamLimits } from './http/event-stream.ts';
import { memoryMarks, type Marks } from './marks.ts';
import { maskOf } from './mask.ts';
import { openApiDocument } from './openapi.ts';
import { loginPage, notBuilt } from './pages.ts';
import { routes } from './routes/routes.ts';
import {
  atTheDoor,
  cookieName,
  isFromElsewhere,
  notTooOften,
  onlyFriends,
  type RateLimit,
} from './security/guard.ts';
import { hostCheck } from './security/hosts.ts';
import { createBucket } from './security/bucket.ts';
import { createLogins, newSecret } from './security/logins.ts';
import { createFeeds } from './sessions/event-feed.ts';
import { createRows } from './sessions/rows.ts';
import { createRowWatch } from './sessions/row-watch.ts';
import { createStreams, type Site } from './site.ts';

export type DashboardOptions = {
  readonly store: Store;
  readonly host: Host;
  /** The folder with the pages; those that come with this package unless told otherwise. */
  readonly assets?: string;
  /** What lets a program in; made up if none is given. */
  readonly token?: string;
  /** The address it listens on, and other names it goes by. */
  readonly hostname?: string;
  readonly names?: readonly string[];
  readonly owner?: string;
  readonly marks?: Marks;
  readonly shelfOf?: (about: Json) => Promise<Storage | null>;
  readonly metrics?: () => Promise<string>;
  /** What must never be shown; without it, the keys in the environment. */
  readonly secrets?: readonly string[];
  readonly version?: string;
  readonly now?: () => number;
  /** A monotonic clock in milliseconds, for limits. */
  readonly clock?: () => number;
  /** How often the store is looked at while somebody watches. */
  readonly pollMs?: number;
  readonly rate?: RateLimit;
  readonly streamsMax?: number;
  readonly slowMs?: number;
  /** Hears of errors that nobody expected. */
  readonly onTrouble?: (message: string) => void;
};

export type Dashboard = {
  readonly app: Hono;
  /** A path that logs a browser in, once. */
  readonly loginPath: () => string;
};

/** The dashboard's server, without a port to listen on. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { token = newSecret(), hostname = '127.0.0.1', names = [], onTrouble = () => undefined } = options;
  const { clock = () => performance.now() } = options;
  const logins = createLogins(token, clock);
  const site = siteOf(options, token);
  const app = new Hono();
  app.onError((error, context) => {
    const { status, body } = errorAnswer(error);
    if (status === 500) onTrouble(String(site.mask(error.stack ?? error.message)));
    return context.json(site.mask(body) as object, status);
  });
  app.use(atTheDoor(hostCheck(hostname, names)));
  addLogin(app, logins, clock);
  app.use('/api/*', onlyFriends(logins));
  app.use('/api/*', notTooOften(options.rate ?? { perSecond: 50, burst: 200 }, clock));
  app.use('/metrics', onlyFriends(logins));
  addApi(app, site);
  addAssets(app, createAssets(options.assets ?? ownPages));
  return { app, loginPath: () => `/login?code=${logins.code()}` };
}

function siteOf(options: DashboardOptions, token: string): Site {
  const { store, host, pollMs = 200, secrets = secretValues(process.env) } = options;
  const rows = createRows(store, host);
  return {
    store,
    host,
    rows,
    owner: options.owner ?? thisProcess(),
    mask: maskOf([...secrets, token]),
    marks: options.marks ?? memoryMarks(),
    rowWatch: createRowWatch({ store, host, rows, pollMs: Math.max(500, pollMs) }),
    feeds: createFeeds(store, pollMs),
    shelfOf: options.shelfOf ?? (async () => null),
    metrics: options.metrics ?? null,
    now: options.now ?? Date.now,
    version: options.version ?? '0',
    slowMs: options.slowMs ?? streamLimits.slowMs,
    streams: createStreams(options.streamsMax ?? 64),
  };
}

const ownPages = fileURLToPath(new URL('../dist', import.meta.url));

const loginRate = { perSecond: 1, burst: 10 } as const;
const loginBytes = 10_000;

function addLogin(app: Hono, logins: ReturnType<typeof createLogins>, now: () => number): void {
  const bucket = createBucket({ ...loginRate, now });
  const letIn = (context: Context): Response => {
    setCookie(context, cookieName(context), logins.pass, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return context.redirect('/', 303);
  };
  app.use('/login', async (context, next) => {
    context.header('cache-control', 'no-store');
    await next();
  });
  app.get('/login', (context) => {
    const code = context.req.query('code');
    if (code === undefined) return context.html(loginPage(null));
    return bucket.take() && logins.redeem(code) ? letIn(context) : refuse(context, 'code');
  });
  app.post('/login', async (context) => {
    const form = new URLSearchParams((await bytesOf(context, loginBytes)).toString('utf8'));
    const isFit = bucket.take() && !isFromElsewhere(context) && logins.isToken(form.get('token') ?? '');
    return isFit ? letIn(context) : refuse(context, 'token');
  });
}

function refuse(context: Context, why: 'code' | 'token'): Response {
  return context.html(loginPage(why), 401);
}

function addApi(app: Hono, site: Site): void {
  for (const { method, path, handle } of routes) {
    const pattern = `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    app.on(method.toUpperCase(), pattern, (context) => handle(context, site));
  }
  app.get('/api/v1/openapi.json', (context) => context.json(openApiDocument(site.version)));
  app.get('/metrics', async (context) =>
    site.metrics === null
      ? context.text('This server keeps no metrics.\n', 404)
      : context.text(await site.metrics()),
  );
  app.all('/api/*', (context) =>
    context.json(
      { error: { code: 'not-found', message: 'There is no such route.', hint: 'See /api/v1/openapi.json.' } },
      404,
    ),
  );
}

function addAssets(app: Hono, assets: Assets): void {
  app.get('*', (context) => {
    const { path } = context.req;
    const asset = assets.at(path);
    if (asset === null) {
      const isEntry = path === '/' || path === '/index.html';
      return isEntry ? context.html(notBuilt, 503) : context.text('There is no such page.\n', 404);
    }
    context.header('content-type', asset.type);
    context.header('cache-control', asset.isForGood ? 'public, max-age=31536000, immutable' : 'no-store');
    context.header('vary', 'accept-encoding');
    if (asset.packed === null || !takesGzip(context)) return context.body(asset.bytes);
    context.header('content-encoding', 'gzip');
    return context.body(asset.packed);
  });
}
