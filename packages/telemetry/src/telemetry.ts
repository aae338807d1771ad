import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import manifest from '../package.json' with { type: 'json' };
import { createTraceExporter, type OtlpCollector, type ExportErrorListener } from './exporters.ts';
import type { GaugeSources } from './gauges.ts';
import { createStepObserver } from './step-observation.ts';
import { createModelResponseObserver } from './model-responses.ts';
import { createMetricsPipeline, type MetricsOptions } from './metrics-pipeline.ts';
import { parseModelIdentity, otelAttributes, type ModelIdentity } from './semconv.ts';
import { createSpanWriter, createPresetIdGenerator, type SpanWriter } from './span-writer.ts';
import { createSessionSpans } from './session-spans.ts';
import { withSpanContext, type TracedPorts } from './trace-ports.ts';

export type TelemetryOptions = {
  /** The service name; defaults to `pawl`. */
  readonly serviceName?: string;
  /** Distinguishes this process from others with the same name; random by default. */
  readonly instance?: string;
  /** Where traces are sent; omit to disable tracing. */
  readonly traces?: OtlpCollector;
  readonly metrics?: MetricsOptions;
  /** Also export the content of messages, tool calls and results, with secrets masked. */
  readonly captureContent?: boolean;
  /** Texts that must never be exported, besides those that look like secrets. */
  readonly secrets?: readonly string[];
  readonly onExportError?: ExportErrorListener;
  readonly now?: () => number;
};

export type TelemetryClient = {
  /** Starts observing a session in its current state, new or resumed. */
  observe(session: Session): SessionObserver;
  /** Adds sources of values that sessions do not provide. */
  ask(sources: GaugeSources): void;
  /** Counts a worker report. */
  report(report: { readonly kind: string }): void;
  /** Returns all metrics in the Prometheus text format. */
  readonly prometheus: () => Promise<string>;
  /** Flushes pending data for a few seconds at most, then stops. */
  shutdown(): Promise<void>;
};

export type SessionObserver = {
  /** Pass each step result of the agent's observer. */
  readonly observe: (result: StepResult) => void;
  /** Wraps the agent's ports so that their requests carry the trace context and the model's responses are observed. */
  runInContext<Ports extends TracedPorts>(ports: Ports): Ports;
  /** Call when this process releases the session, whether or not it has ended. Further calls have no effect. */
  end(): void;
};

/** Longer than the timeout of one request; data not sent by then is dropped. */
const shutdownMs = 4_000;

/** Creates the traces and metrics for all sessions of one process. */
export function createTelemetry(options: TelemetryOptions): TelemetryClient {
  const { now = Date.now, captureContent = false, secrets = [], onExportError = () => undefined } = options;
  const resource = createResource(options);
  const tracing =
    options.traces === undefined ? null : createTracingPipeline(resource, options.traces, onExportError);
  const { metrics: metricsOptions = {} } = options;
  const isMetered = metricsOptions.prometheus === true || metricsOptions.otlp !== undefined;
  const metering = isMetered ? createMetricsPipeline(resource, metricsOptions, onExportError) : null;
  const content = captureContent ? { secrets } : null;
  return {
    observe(session) {
      let current = session;
      let isEnded = false;
      let model: ModelIdentity = parseModelIdentity('unknown');
      const context = { now, model: () => model, content };
      const responses = createModelResponseObserver();
      const observeStep = createStepObserver(session, { now: now(), getResponse: responses.latest });
      const spans =
        tracing === null ? null : createSessionSpans(session, { ...context, write: tracing.write });
      const metrics = metering?.observe({ model: context.model, state: () => current.turn.status });
      return {
        observe(result) {
          current = result.session;
          const observation = observeStep(result);
          if (observation === null) return;
          spans?.observe(observation);
          metrics?.observe(observation);
        },
        runInContext(ports) {
          if (tracing === null && metering === null) return ports;
          model = parseModelIdentity(ports.model.name, ports.model.server);
          const observed = { ...ports, model: responses.wrap(ports.model) };
          return tracing === null ? observed : withSpanContext(observed, () => current);
        },
        end() {
          if (isEnded) return;
          isEnded = true;
          spans?.end();
          metrics?.end();
        },
      };
    },
    ask: (sources) => metering?.addSources(sources),
    report: ({ kind }) => metering?.report(kind),
    async prometheus() {
      if (metering === null || metering.text === null)
        throw new TypeError(
          'Prometheus metrics are disabled. Enable them with metrics: { prometheus: true }.',
        );
      return metering.text();
    },
    async shutdown() {
      const ending = Promise.allSettled([tracing?.shutdown(), metering?.shutdown()]);
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, shutdownMs);
      await Promise.race([ending, timeout.promise]);
      clearTimeout(timer);
    },
  };
}

function createResource({
  serviceName = 'pawl',
  instance = crypto.randomUUID(),
}: TelemetryOptions): Resource {
  return resourceFromAttributes({
    [otelAttributes.serviceName]: serviceName,
    [otelAttributes.serviceInstance]: instance,
    [otelAttributes.serviceVersion]: manifest.version,
  });
}

/** Room for all exported messages of one request; a span too large for the collector would be dropped as a whole. */
const attributeCharsMax = 250_000;

type TracingPipeline = { readonly write: SpanWriter; shutdown(): Promise<void> };

function createTracingPipeline(
  resource: Resource,
  collector: OtlpCollector,
  onError: ExportErrorListener,
): TracingPipeline {
  const ids = createPresetIdGenerator();
  const exporter = createTraceExporter(collector, onError);
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: attributeCharsMax },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return { write: createSpanWriter(provider, ids, manifest.version), shutdown: () => provider.shutdown() };
}
