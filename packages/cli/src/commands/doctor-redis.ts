import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { DoctorCheck } from './doctor-check.ts';

type RedisCheckOptions = { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number };

/** Other programs use `REDIS_URL` too, so it may not be meant for Pawl. */
const redisVariables = ['PAWL_REDIS_URL', 'REDIS_URL'] as const;

/** Checks that the Redis named in the environment answers; without one there is no check. */
export async function checkRedis({ env, timeoutMs }: RedisCheckOptions): Promise<readonly DoctorCheck[]> {
  const variable = redisVariables.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined) return [];
  const needed = variable === 'PAWL_REDIS_URL';
  const url = URL.parse(env[variable] ?? '');
  const isRedis = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  if (!isRedis) {
    const advice = `Set ${variable} to an address such as redis://127.0.0.1:6379, or to nothing.`;
    return [{ name: 'redis', needed, ok: false, found: `${variable} is not an address`, advice }];
  }
  // Never print the URL itself, because it may contain a password.
  const place = `${url.hostname}:${getRedisPort(url)}`;
  const problem = await pingRedis(url, timeoutMs);
  const found = problem === null ? `${place} answers` : `${place} ${problem}`;
  const advice =
    problem === null
      ? null
      : `Start it, correct ${variable}, or unset it: Pawl does without Redis on one machine.`;
  return [{ name: 'redis', needed, ok: problem === null, found, advice }];
}

function getRedisPort({ port }: URL): number {
  return port === '' ? 6379 : Number(port);
}

/** Pings Redis; one that asks for a password first counts as reachable. */
function pingRedis(url: URL, timeoutMs: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connectSocket(url);
  let heard = '';
  socket.setTimeout(timeoutMs, () => resolve(`gave no answer for ${timeoutMs / 1_000} s`));
  socket.on('error', (error: Error) => resolve(`cannot be reached (${getErrorCodeOrMessage(error)})`));
  socket.on('close', () => resolve('closed the connection'));
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
    if (/^(?:\+PONG|-NOAUTH|-NOPERM)/.test(heard)) resolve(null);
    else if (heard.length >= 7) resolve('answers, but not as Redis does');
  });
  socket.write('PING\r\n');
  return promise.finally(() => socket.destroy());
}

function connectSocket(url: URL): Socket {
  // Strip the brackets of an IPv6 address.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = getRedisPort(url);
  return url.protocol === 'rediss:' ? connectTls({ host, port, servername: host }) : connect({ host, port });
}

function getErrorCodeOrMessage(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
