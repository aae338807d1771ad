import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, HrTime, Link, SpanContext, TracerProvider } from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import { deriveSpanId, deriveTraceId } from './span-ids.ts';

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
  const tracer = provider.getTracer('@pawl/telemetry', version);
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
