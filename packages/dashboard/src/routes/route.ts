import type { Context } from 'hono';
import * as z from 'zod';
import type { Json } from '@pawl/core';
import type { EntryStorage } from '@pawl/runtime/storage';
import type { Store } from '@pawl/runtime/store';
import type { SessionHost } from '../hosts/session-host.ts';
import { ApiError } from '../http/api-error.ts';
import type { VerdictFeedbackStore } from '../hosts/feedback-store.ts';
import type { SecretMask } from '../http/json-response.ts';
import type { EventFeeds } from '../sessions/event-feed.ts';
import type { SessionListWatcher } from '../sessions/list-watcher.ts';
import type { SessionLister } from '../sessions/session-lister.ts';

/** One route of the API: its handler and everything its OpenAPI description is built from. */
export type ApiRoute = {
  readonly method: 'get' | 'post';
  /** Path under /api/v1, with `{name}` for parameters. */
  readonly path: `/${string}`;
  /** The operation id in the OpenAPI document, used by generated clients. */
  readonly name: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodType } | { readonly type: 'application/octet-stream' };
  /** Responses by status. A string is the content type of a response that is not JSON. */
  readonly responses: Readonly<
    Record<number, { readonly description: string; readonly schema: z.ZodType | string }>
  >;
  /** Error statuses in addition to those that every route can return. */
  readonly errorStatuses?: readonly number[];
  readonly handle: (context: Context, routeContext: RouteContext) => Promise<Response> | Response;
};

/** Returns the value of the path parameter `{name}`. */
export function getPathParameter(context: Context, name: string): string {
  return context.req.param(name) ?? '';
}

/** The dependencies of every route. */
export type RouteContext = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly owner: string;
  readonly mask: SecretMask;
  readonly feedback: VerdictFeedbackStore;
  readonly lister: SessionLister;
  readonly listWatcher: SessionListWatcher;
  readonly feeds: EventFeeds;
  /** Opens the memory storage of a session from its metadata; null if it has none. The caller closes it. */
  readonly openStorage: (metadata: Json) => Promise<EntryStorage | null>;
  /** Returns metrics in Prometheus format; null if they are not collected. */
  readonly metrics: (() => Promise<string>) | null;
  readonly now: () => number;
  readonly version: string;
  readonly slowMs: number;
  readonly streams: StreamLimiter;
};

/** Limits the number of open streams. */
type StreamLimiter = {
  /** Opens a stream and returns the function that closes it. Throws if too many are open. */
  open(): () => void;
};

export function createStreamLimiter(max: number): StreamLimiter {
  let count = 0;
  return {
    open() {
      if (count >= max) {
        throw new ApiError('too-many', `The maximum of ${max} open streams is reached.`, 'Close some pages.');
      }
      count += 1;
      let isOpen = true;
      return () => {
        if (isOpen) count -= 1;
        isOpen = false;
      };
    },
  };
}
