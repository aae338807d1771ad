import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type HrTime,
  type Link,
  type SpanContext,
  type TracerProvider,
} from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import { hash } from 'node:crypto';
import type { SessionSpan, TurnSpan } from '@pawl/core/projections';
import { deriveExecutionId } from '@pawl/runtime/store';
import { otelSchemaUrl } from './semconv.ts';

/** A complete span. `parent` and `links` are keys of the same session. */
export type SpanRecord = {
  readonly session: string;
  readonly key: string;
  /** Null for the root span. */
  readonly parent: string | null;
  readonly links?: readonly string[];
  readonly name: string;
  readonly isClient?: boolean;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly error: string | null;
};

export type SpanEvent = { readonly name: string; readonly at: number; readonly attributes: Attributes };

export type SpanWriter = (span: SpanRecord) => void;

/** Returns the ids that were set last. Spans are written synchronously, one at a time, so one pair is enough. */
export type PresetIdGenerator = IdGenerator & { next(traceId: string, spanId: string): void };

export function createPresetIdGenerator(): PresetIdGenerator {
  let ids = { traceId: '', spanId: '' };
  return {
    next(traceId, spanId) {
      ids = { traceId, spanId };
    },
    generateTraceId: () => ids.traceId,
    generateSpanId: () => ids.spanId,
  };
}

/** Writes spans after they have ended, with the times of their events and derived ids. */
export function createSpanWriter(
  provider: TracerProvider,
  ids: PresetIdGenerator,
  version: string,
): SpanWriter {
  const tracer = provider.getTracer('@pawl/telemetry', version, { schemaUrl: otelSchemaUrl });
  return (record) => {
    const { session, key, name, isClient = false, start, events, error, attributes } = record;
    ids.next(deriveTraceId(session), deriveSpanId(session, key));
    const kind = isClient ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const links = (record.links ?? []).map((linked): Link => ({
      context: createSpanContext(session, linked),
    }));
    const options = { startTime: toHrTime(start), kind, links, attributes };
    const span = tracer.startSpan(name, options, getParentContext(record));
    for (const event of events) span.addEvent(event.name, event.attributes, toHrTime(event.at));
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    // If the clock was set back, a span must not end before it starts.
    span.end(toHrTime(Math.max(start, record.end)));
  };
}

function getParentContext({ session, parent }: SpanRecord): Context {
  return parent === null
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, createSpanContext(session, parent));
}

/** Always sampled; sampling is left to the collector, which sees whole traces. */
function createSpanContext(session: string, key: string): SpanContext {
  return {
    traceId: deriveTraceId(session),
    spanId: deriveSpanId(session, key),
    traceFlags: 1,
    isRemote: true,
  };
}

/** OpenTelemetry would interpret a small plain number as the time since the process started. */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}

/*
 * Ids are derived from the session, never random, so that a process that resumes a session continues the same trace and
 * can reference spans that another process started, without passing any state.
 */

/** Each session has one trace. */
function deriveTraceId(session: string): string {
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
