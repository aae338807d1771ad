import type { Json } from '@pawl/core';
import { defaultTenant, type WakeOptions } from './tenant-queues.ts';

/** The queue metadata of a session for workers: its tenant, priority and earliest start. */
export type QueueAssignment = {
  readonly tenant: string;
  readonly priority: number | null;
  /** Earliest start in milliseconds; null for immediately. */
  readonly notBefore: number | null;
};

const assignmentKey = 'worker';

/** Adds the queue assignment to a session's metadata. */
export function addQueueAssignment(about: Json, queued: QueueAssignment): Json {
  const isNamed = typeof about === 'object' && about !== null && !Array.isArray(about);
  const said: { readonly [name: string]: Json } = isNamed
    ? (about as { readonly [name: string]: Json })
    : { about };
  return { ...said, [assignmentKey]: { ...queued } };
}

/** Returns null for a session that is not run by workers. */
export function getQueueAssignment(about: Json): QueueAssignment | null {
  if (typeof about !== 'object' || about === null || !Object.hasOwn(about, assignmentKey)) return null;
  const said: unknown = Reflect.get(about, assignmentKey);
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

/** Returns the tenant of a session from its metadata. */
export function getTenant(about: Json): string {
  return getQueueAssignment(about)?.tenant ?? defaultTenant;
}

export function toWakeOptions({ tenant, priority, notBefore }: QueueAssignment, now: number): WakeOptions {
  return {
    tenant,
    ...(priority !== null && { priority }),
    ...(notBefore !== null && { delayMs: Math.max(0, notBefore - now) }),
  };
}
