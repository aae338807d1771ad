import type { Json } from '@pawl/core';
import { defaultTenant, type WakeOptions } from './queues.ts';

/** What is written down with a session that is meant for workers: whose it is, and when it is its turn. */
export type Queued = {
  readonly tenant: string;
  readonly priority: number | null;
  /** Not before this time, in milliseconds; null for at once. */
  readonly notBefore: number | null;
};

const key = 'worker';

/** What is said about the session, with this among it. */
export function withQueued(about: Json, queued: Queued): Json {
  const isNamed = typeof about === 'object' && about !== null && !Array.isArray(about);
  const said: { readonly [name: string]: Json } = isNamed
    ? (about as { readonly [name: string]: Json })
    : { about };
  return { ...said, [key]: { ...queued } };
}

/** Null for a session that is not for workers: somebody runs it by hand. */
export function queuedIn(about: Json): Queued | null {
  if (typeof about !== 'object' || about === null || !Object.hasOwn(about, key)) return null;
  const said: unknown = Reflect.get(about, key);
  if (typeof said !== 'object' || said === null) return null;
  const [tenant, priority, notBefore] = ['tenant', 'priority', 'notBefore'].map((name): unknown =>
    Reflect.get(said, name),
  );
  return {
    tenant: typeof tenant === 'string' ? tenant : defaultTenant,
    priority: typeof priority === 'number' ? priority : null,
    notBefore: typeof notBefore === 'number' ? notBefore : null,
  };
}

/** Whose session it is, by what is said about it. */
export function tenantIn(about: Json): string {
  return queuedIn(about)?.tenant ?? defaultTenant;
}

export function wakeOptionsFor({ tenant, priority, notBefore }: Queued, now: number): WakeOptions {
  return {
    tenant,
    ...(priority !== null && { priority }),
    ...(notBefore !== null && { delayMs: Math.max(0, notBefore - now) }),
  };
}
