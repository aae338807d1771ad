import type { Context } from 'hono';
import type * as z from 'zod';
import type { RouteContext } from '../route-context.ts';

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
