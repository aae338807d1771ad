import { controlRoutes } from './control.ts';
import { importRoutes } from './imports.ts';
import { insightRoutes } from './insight.ts';
import type { ApiRoute } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { streamRoutes } from './streams.ts';

/** All routes under /api/v1. Streams come first so that `stream` is not matched as a session id. */
export const apiRoutes: readonly ApiRoute[] = [
  ...streamRoutes,
  ...sessionRoutes,
  ...insightRoutes,
  ...controlRoutes,
  ...importRoutes,
];
