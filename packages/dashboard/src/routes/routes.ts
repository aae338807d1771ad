import { controlRoutes } from './control.ts';
import { importRoutes } from './imports.ts';
import { insightRoutes } from './insight.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { streamRoutes } from './streams.ts';

/** Everything under /api/v1. Streams first: `stream` is no id. */
export const routes: readonly Route[] = [
  ...streamRoutes,
  ...sessionRoutes,
  ...insightRoutes,
  ...controlRoutes,
  ...importRoutes,
];
