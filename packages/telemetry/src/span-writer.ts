import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, HrTime, Link, SpanContext, TracerProvider } from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import { spanIdOf, traceIdOf } from './ids.ts';

/** A span from beginning to end. `parent` and `links` are keys of the same session. */
export type WrittenSpan = {
  readonly session: string;
  readonly key: string;
  /** Null for the one at the root. */
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

export type WriteSpan = (span: WrittenSpan) => void;

/** Gives out the ids that were set last. Each span is written in one go, so one pair is enough. */
export type GivenIds = IdGenerator & { next(traceId: string, spanId: string): void };

export function givenIds(): GivenIds {
  let ids = { traceId: '', spanId: '' };
  return {
    next(traceId, spanId) {
      ids = { traceId, spanId };
    },
    generateTraceId: () => ids.traceId,
    generateSpanId: () => ids.spanId,
  };
}

/** Spans are written when they have ended, with the times of the events and the ids that anybody can work out. */
export function createSpanWriter(provider: TracerProvider, ids: GivenIds, version: string): WriteSpan {
  const tracer = provider.getTracer('@pawl/telemetry', version);
  return (written) => {
    const { session, key, name, isClient = false, start, events, error, attributes } = written;
    ids.next(traceIdOf(session), spanIdOf(session, key));
    const kind = isClient ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const links = (written.links ?? []).map((linked): Link => ({ context: contextOf(session, linked) }));
    const options = { startTime: hrTime(start), kind, links, attributes };
    const span = tracer.startSpan(name, options, parentOf(written));
    for (const event of events) span.addEvent(event.name, event.attributes, hrTime(event.at));
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    // A clock that was set back makes no span that ends before it begins.
    span.end(hrTime(Math.max(start, written.end)));
  };
}

function parentOf({ session, parent }: WrittenSpan): Context {
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(session, parent));
}

/** Sampling is left to the collector, which sees whole traces. */
function contextOf(session: string, key: string): SpanContext {
  return { traceId: traceIdOf(session), spanId: spanIdOf(session, key), traceFlags: 1, isRemote: true };
}

/** A plain number would be taken for the time since the process began, if it is small. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
