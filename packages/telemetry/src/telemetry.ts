import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Session } from '@pawl/core';
import type { Seen } from '@pawl/runtime';
import manifest from '../package.json' with { type: 'json' };
import { traceExporter, type Collector, type OnTrouble } from './exporters.ts';
import type { Sources } from './gauges.ts';
import { createFollower } from './happening.ts';
import { openMetering, type MetricsOptions } from './metering.ts';
import { modelNames, type ModelNames } from './model-names.ts';
import { attribute } from './semconv.ts';
import { createSpanWriter, givenIds, type WriteSpan } from './span-writer.ts';
import { createSessionSpans } from './spans.ts';
import { within, type Means } from './within.ts';

export type TelemetryOptions = {
  /** What the process is called; `pawl` unless said otherwise. */
  readonly serviceName?: string;
  /** Tells this process from others of that name; drawn unless given. */
  readonly instance?: string;
  /** Where traces go; without it there are none. */
  readonly traces?: Collector;
  readonly metrics?: MetricsOptions;
  /** Also send what was said to models and tools, and what they said, without secrets. */
  readonly captureContent?: boolean;
  /** Texts that must never be sent, besides what looks like a secret. */
  readonly secrets?: readonly string[];
  readonly onTrouble?: OnTrouble;
  readonly now?: () => number;
};

export type Telemetry = {
  /** Begins to look at a session, as it is now: new, or taken up. */
  observe(session: Session): SessionObserver;
  /** Where to ask for numbers that sessions do not tell. */
  ask(sources: Sources): void;
  /** Counts what a worker has to report. */
  report(report: { readonly kind: string }): void;
  /** All metrics in the text format of Prometheus. */
  readonly prometheus: () => Promise<string>;
  /** Sends what is left, for a few seconds at most, and ends. */
  shutdown(): Promise<void>;
};

export type SessionObserver = {
  /** To be told what an observer of the agent is told. */
  readonly see: (seen: Seen) => void;
  /** What the agent works with, made to say which span it is part of. */
  within<Given extends Means>(means: Given): Given;
  /** The session is let go of here, whether or not it is over. Only the first time counts. */
  end(): void;
};

/** Longer than one request may take; what is not sent by then is lost. */
const shutdownMs = 4_000;

/** Traces and metrics of the sessions of one process. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { now = Date.now, captureContent = false, secrets = [], onTrouble = () => undefined } = options;
  const resource = resourceOf(options);
  const tracing = options.traces === undefined ? null : openTracing(resource, options.traces, onTrouble);
  const { metrics: kept = {} } = options;
  const isMetered = kept.prometheus === true || kept.otlp !== undefined;
  const metering = isMetered ? openMetering(resource, kept, onTrouble) : null;
  const content = captureContent ? { secrets } : null;
  return {
    observe(session) {
      let current = session;
      let isOver = false;
      let model: ModelNames = modelNames('unknown');
      const means = { now, model: () => model, content };
      const follow = createFollower(session, now());
      const spans = tracing === null ? null : createSessionSpans(session, { ...means, write: tracing.write });
      const metrics = metering?.observe({ model: means.model, state: () => current.turn.status });
      return {
        see(seen) {
          current = seen.session;
          const happening = follow(seen);
          if (happening === null) return;
          spans?.see(happening);
          metrics?.see(happening);
        },
        within(given) {
          model = modelNames(given.model.name);
          return tracing === null ? given : within(given, () => current);
        },
        end() {
          if (isOver) return;
          isOver = true;
          spans?.end();
          metrics?.end();
        },
      };
    },
    ask: (sources) => metering?.ask(sources),
    report: ({ kind }) => metering?.report(kind),
    async prometheus() {
      if (metering === null || metering.text === null)
        throw new TypeError('Metrics are not kept for Prometheus. Give metrics: { prometheus: true }.');
      return metering.text();
    },
    async shutdown() {
      const ending = Promise.allSettled([tracing?.shutdown(), metering?.shutdown()]);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, shutdownMs);
      await Promise.race([ending, late.promise]);
      clearTimeout(timer);
    },
  };
}

function resourceOf({ serviceName = 'pawl', instance = crypto.randomUUID() }: TelemetryOptions): Resource {
  return resourceFromAttributes({
    [attribute.serviceName]: serviceName,
    [attribute.serviceInstance]: instance,
    [attribute.serviceVersion]: manifest.version,
  });
}

/** Room for all messages that are sent of one request; a span that is too long for the collector would be lost as a whole. */
const attributeCharsMax = 250_000;

type Tracing = { readonly write: WriteSpan; shutdown(): Promise<void> };

function openTracing(resource: Resource, collector: Collector, onTrouble: OnTrouble): Tracing {
  const ids = givenIds();
  const exporter = traceExporter(collector, onTrouble);
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: attributeCharsMax },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return { write: createSpanWriter(provider, ids, manifest.version), shutdown: () => provider.shutdown() };
}
