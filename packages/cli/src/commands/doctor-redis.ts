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
    const advice = `Set ${variable} to a URL such as redis://127.0.0.1:6379, or unset it.`;
    return [{ name: 'redis', needed, ok: false, found: `${variable} is not a Redis URL`, advice }];
  }
  // Never print the URL itself, because it may contain a password.
  const address = `${url.hostname}:${getRedisPort(url)}`;
  const problem = await pingRedis(url, timeoutMs);
  const found = problem === null ? `${address} answers` : `${address} ${problem}`;
  const advice =
    problem === null
      ? null
      : `Start Redis, correct ${variable}, or unset it: Pawl does not need Redis on a single machine.`;
  return [{ name: 'redis', needed, ok: problem === null, found, advice }];
}

function getRedisPort({ port }: URL): number {
  return port === '' ? 6379 : Number(port);
}

/** Pings Redis; one that asks for a password first counts as reachable. */
function pingRedis(url: URL, timeoutMs: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connectSocket(url);
  let reply = '';
  socket.setTimeout(timeoutMs, () => resolve(`did not answer within ${timeoutMs / 1_000} s`));
  socket.on('error', (error: Error) => resolve(`cannot be reached (${getErrorCodeOrMessage(error)})`));
  socket.on('close', () => resolve('closed the connection'));
  socket.on('data', (bytes: Buffer) => {
    reply += bytes.toString('latin1');
    if (/^(?:\+PONG|-NOAUTH|-NOPERM)/.test(reply)) resolve(null);
    else if (reply.length >= 7) resolve('answers, but is not Redis');
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
