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
export function addQueueAssignment(metadata: Json, assignment: QueueAssignment): Json {
  const isRecord = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  const fields: { readonly [name: string]: Json } = isRecord
    ? (metadata as { readonly [name: string]: Json })
    : { about: metadata };
  return { ...fields, [assignmentKey]: { ...assignment } };
}

/** Returns null for a session that is not run by workers. */
export function getQueueAssignment(metadata: Json): QueueAssignment | null {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, assignmentKey))
    return null;
  const assignment: unknown = Reflect.get(metadata, assignmentKey);
  if (typeof assignment !== 'object' || assignment === null) return null;
  const [tenant, priority, notBefore] = ['tenant', 'priority', 'notBefore'].map((name): unknown =>
    Reflect.get(assignment, name),
  );
  return {
    tenant: typeof tenant === 'string' ? tenant : defaultTenant,
    priority: typeof priority === 'number' ? priority : null,
    notBefore: typeof notBefore === 'number' ? notBefore : null,
  };
}

/** Returns the tenant of a session from its metadata. */
export function getTenant(metadata: Json): string {
  return getQueueAssignment(metadata)?.tenant ?? defaultTenant;
}

export function toWakeOptions({ tenant, priority, notBefore }: QueueAssignment, now: number): WakeOptions {
  return {
    tenant,
    ...(priority !== null && { priority }),
    ...(notBefore !== null && { delayMs: Math.max(0, notBefore - now) }),
  };
}
