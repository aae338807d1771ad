import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { maskSecrets } from '@pawl/runtime/logging';

/** Returns a copy of the value with its secrets masked. */
export type SecretMask = (value: unknown) => unknown;

/** Every response of the server passes through this mask. */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  return (value) => maskSecrets(value, { secrets });
}

const gzipText = promisify(gzip);

/** Below this length, compression takes longer than it saves. */
const gzipLengthMin = 2_000;

/** Responds with JSON whose secrets are masked, compressed if that is worthwhile. */
export async function respondWithJson(
  context: Context,
  mask: SecretMask,
  body: unknown,
  status: 200 | 201 | 202 = 200,
): Promise<Response> {
  const text = JSON.stringify(mask(body));
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' };
  if (text.length < gzipLengthMin || !acceptsGzip(context)) return context.body(text, status, headers);
  const bytes = await gzipText(text, { level: 4 });
  return context.body(new Uint8Array(bytes), status, { ...headers, 'content-encoding': 'gzip' });
}

export function acceptsGzip({ req }: Context): boolean {
  return /\bgzip\b/.test(req.header('accept-encoding') ?? '');
}
