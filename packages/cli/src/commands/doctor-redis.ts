import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Check } from './doctor-check.ts';

type Asked = { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number };

/** The second is anybody's, so Pawl need not be meant by it. */
const variables = ['PAWL_REDIS_URL', 'REDIS_URL'] as const;

/** Whether the Redis that the environment names answers. Where none is named, there is nothing to look at. */
export async function checkRedis({ env, timeoutMs }: Asked): Promise<readonly Check[]> {
  const variable = variables.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined) return [];
  const needed = variable === 'PAWL_REDIS_URL';
  const url = URL.parse(env[variable] ?? '');
  const isRedis = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  if (!isRedis) {
    const advice = `Set ${variable} to an address such as redis://127.0.0.1:6379, or to nothing.`;
    return [{ name: 'redis', needed, ok: false, found: `${variable} is not an address`, advice }];
  }
  // Never the address as it stands: there may be a password in it.
  const place = `${url.hostname}:${portOf(url)}`;
  const problem = await ping(url, timeoutMs);
  const found = problem === null ? `${place} answers` : `${place} ${problem}`;
  const advice =
    problem === null
      ? null
      : `Start it, correct ${variable}, or unset it: Pawl does without Redis on one machine.`;
  return [{ name: 'redis', needed, ok: problem === null, found, advice }];
}

function portOf({ port }: URL): number {
  return port === '' ? 6379 : Number(port);
}

/** Asks for a sign of life. One that first wants a password is there as well. */
function ping(url: URL, timeoutMs: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = opened(url);
  let heard = '';
  socket.setTimeout(timeoutMs, () => resolve(`gave no answer for ${timeoutMs / 1_000} s`));
  socket.on('error', (error: Error) => resolve(`cannot be reached (${codeOf(error)})`));
  socket.on('close', () => resolve('closed the connection'));
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
    if (/^(?:\+PONG|-NOAUTH|-NOPERM)/.test(heard)) resolve(null);
    else if (heard.length >= 7) resolve('answers, but not as Redis does');
  });
  socket.write('PING\r\n');
  return promise.finally(() => socket.destroy());
}

function opened(url: URL): Socket {
  // An address in brackets is one of IPv6.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url);
  return url.protocol === 'rediss:' ? connectTls({ host, port, servername: host }) : connect({ host, port });
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
