import { hash } from 'node:crypto';
import type { SessionSpan, TurnSpan } from '@pawl/core/projections';
import { deriveExecutionId } from '@pawl/runtime/store';

/*
 * Ids are derived from the session, never random, so that a process that resumes a session continues the same trace and
 * can reference spans that another process started, without passing any state.
 */

/** Each session has one trace. */
export function deriveTraceId(session: string): string {
  return hashIdParts(['trace', session], 32);
}

/** `key` identifies one span of a session. */
export function deriveSpanId(session: string, key: string): string {
  return hashIdParts(['span', session, key], 16);
}

/** In the format of W3C Trace Context. */
export function formatTraceparent(session: string, key: string): string {
  return `00-${deriveTraceId(session)}-${deriveSpanId(session, key)}-01`;
}

export function getTurnKey({ startedAt }: TurnSpan): string {
  return `turn ${startedAt}`;
}

/** Returns the key from which the span id is derived. */
export function getSpanKey(session: string, span: SessionSpan): string {
  return span.kind === 'tool'
    ? getToolSpanKey(deriveExecutionId(session, span.request, span.call.id))
    : span.key;
}

/** Returns the span key of a tool call from its execution id, which is all that the tool knows. */
export function getToolSpanKey(execution: string): string {
  return `tool ${execution}`;
}

/** Neither kind of id may be all zeros, which is practically impossible for a hash. */
function hashIdParts(parts: readonly string[], chars: number): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, chars);
}
