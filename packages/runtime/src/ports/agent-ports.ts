import type { Event, PagingFinished, RequestedCall } from '@pawl/core';

/** An event without its timestamp. */
export type UnstampedEvent = Event extends infer E ? (E extends Event ? Omit<E, 'at'> : never) : never;

/**
 * Queues an event; resolves, once it is persisted and its actions have started, to whether the state machine accepted
 * it.
 */
export type EventPoster = (event: UnstampedEvent) => Promise<boolean>;

/** Result of the permission rules for a call. The reason for a denial is passed on to the model. */
export type PermissionRuling =
  | 'allow'
  | 'ask'
  | 'deny'
  | { readonly permission: 'deny'; readonly reason: string };

/** Applies the permission rules to a call that the model requested. */
export type PermissionCheck = (call: RequestedCall) => PermissionRuling;

/** A person's decision about one call. */
export type PermissionDecision = { readonly decision: 'allow' | 'deny'; readonly reason?: string };

/** Tokens freed and tokens held before, plus the summaries of the compacted content and their usage. */
export type CompactionReport = Pick<PagingFinished, 'freedTokens' | 'heldTokens' | 'summaries' | 'usage'>;
