import type { Context } from 'hono';
import type * as z from 'zod';
import type { Site } from '../site.ts';

/** One request that the API answers: what it is answered with, and all that its description is made from. */
export type Route = {
  readonly method: 'get' | 'post';
  /** Under /api/v1, with `{name}` for what changes. */
  readonly path: `/${string}`;
  /** Its name in the description, and in programs made from it. */
  readonly name: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodType } | { readonly type: 'application/octet-stream' };
  /** By status. A text is for what is no JSON: the type of the content. */
  readonly answers: Readonly<Record<number, { readonly what: string; readonly schema: z.ZodType | string }>>;
  /** What may go wrong besides what may always. */
  readonly fails?: readonly number[];
  readonly handle: (context: Context, site: Site) => Promise<Response> | Response;
};

/** What stands in the address for `{name}`. */
export function part(context: Context, name: string): string {
  return context.req.param(name) ?? '';
}
