import { step, type Event, type Json, type Session } from '@pawl/core';
import { StoreError, type LogPosition, type Store } from '@pawl/runtime/store';
import { toWakeOptions, addQueueAssignment, type QueueAssignment } from './queue-assignment.ts';
import { defaultTenant, type TenantQueues } from './tenant-queues.ts';

export type SubmitSessionOptions = {
  readonly metadata?: Json;
  readonly owner: string;
  readonly now: number;
  readonly tenant?: string;
  /** 1 to 2,097,151, lowest first. A session without a priority goes before all that have one. */
  readonly priority?: number;
  readonly delayMs?: number;
};

type SubmitContext = { readonly store: Store; readonly queues: Pick<TenantQueues, 'wake'> };
type SessionGoal = { readonly session: Session; readonly goal: string };

/** Stores a new session with its goal and queues it for a worker. */
export async function submitSession(
  context: SubmitContext,
  { session, goal }: SessionGoal,
  options: SubmitSessionOptions,
): Promise<LogPosition> {
  const created = await createQueuedSession(context, session, options);
  return startQueuedSession(context, { session, goal }, { at: created, options });
}

/**
 * Like `submitSession`, for a session that may already be fully or partly submitted: it ends up submitted once, with
 * its goal.
 */
export async function submitSessionOnce(
  context: SubmitContext,
  { session, goal }: SessionGoal,
  options: SubmitSessionOptions,
): Promise<void> {
  try {
    await submitSession(context, { session, goal }, options);
  } catch (error) {
    if (!isClaimConflict(error)) throw error;
    await resumeSubmission(context, { session, goal }, options);
  }
}

/** Completes a submission whose session was already created. */
async function resumeSubmission(
  context: SubmitContext,
  { session, goal }: SessionGoal,
  options: SubmitSessionOptions,
): Promise<void> {
  const { id } = session;
  const stored = await context.store.open(id);
  if (stored.head > 0) return;
  try {
    const claimed = await context.store.claim(id, options.owner, stored.fence);
    // The creator may have made progress meanwhile.
    if (claimed.head === 0)
      await startQueuedSession(context, { session: claimed.session, goal }, { at: claimed, options });
  } catch (error) {
    // Another process has claimed it meanwhile to do the same.
    if (!isClaimConflict(error)) throw error;
  }
}

function isClaimConflict(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'conflict' || error.code === 'held');
}

function createQueuedSession(
  { store }: SubmitContext,
  session: Session,
  options: SubmitSessionOptions,
): Promise<LogPosition> {
  const { metadata = null, owner, now } = options;
  return store.create(session, owner, {
    metadata: addQueueAssignment(metadata, toQueueAssignment(options)),
    createdAt: now,
  });
}

async function startQueuedSession(
  { store, queues }: SubmitContext,
  { session, goal }: SessionGoal,
  { at, options }: { readonly at: LogPosition; readonly options: SubmitSessionOptions },
): Promise<LogPosition> {
  const { now } = options;
  // Append the goal to the log before waking a worker, because a lost job is recreated from the log.
  const message: Event = { type: 'user-message', at: now, text: goal };
  const position = await store.append(session.id, at, [message], step(session, message).session);
  await queues.wake(
    { session: session.id, version: position.head },
    toWakeOptions(toQueueAssignment(options), now),
  );
  return position;
}

function toQueueAssignment({
  now,
  tenant = defaultTenant,
  priority,
  delayMs = 0,
}: SubmitSessionOptions): QueueAssignment {
  return { tenant, priority: priority ?? null, notBefore: delayMs > 0 ? now + delayMs : null };
}
