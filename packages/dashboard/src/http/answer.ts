import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import type { Mask } from '../mask.ts';

const packed = promisify(gzip);

/** Below this, packing takes longer than sending. */
const packedFrom = 2_000;

/** Answers with JSON that has no secrets in it, packed where that is worth it. */
export async function answerJson(
  context: Context,
  mask: Mask,
  body: unknown,
  status: 200 | 201 | 202 = 200,
): Promise<Response> {
  const text = JSON.stringify(mask(body));
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' };
  if (text.length < packedFrom || !takesGzip(context)) return context.body(text, status, headers);
  const bytes = await packed(text, { level: 4 });
  return context.body(new Uint8Array(bytes), status, { ...headers, 'content-encoding': 'gzip' });
}

export function takesGzip({ req }: Context): boolean {
  return /\bgzip\b/.test(req.header('accept-encoding') ?? '');
}
