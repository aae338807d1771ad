import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricReader,
} from '@opentelemetry/sdk-metrics';
import type { TurnStatus } from '@pawl/core';
import manifest from '../package.json' with { type: 'json' };
import { createMetricExporter, type OtlpCollector, type ExportErrorListener } from './exporters.ts';
import { observeGauges, type GaugeSources } from './gauges.ts';
import { otelSchemaUrl, pawlAttributes, type ModelIdentity } from './semconv.ts';
import {
  createSessionMetricsObserver,
  createInstruments,
  type SessionMetricsObserver,
} from './session-metrics.ts';

export type MetricsOptions = {
  /** Collects metrics for `prometheus()`. */
  readonly prometheus?: boolean;
  /** Where metrics are pushed, and how often. */
  readonly otlp?: OtlpCollector & { readonly everyMs?: number };
};

type MeteredSession = { readonly model: () => ModelIdentity; readonly state: () => TurnStatus };

export type MetricsPipeline = {
  observe(session: MeteredSession): SessionMetricsObserver;
  addSources(sources: GaugeSources): void;
  report(kind: string): void;
  /** Null unless Prometheus is enabled. */
  readonly text: (() => Promise<string>) | null;
  shutdown(): Promise<void>;
};

/** The metrics pipeline of one process. */
export function createMetricsPipeline(
  resource: Resource,
  { prometheus = false, otlp }: MetricsOptions,
  onError: ExportErrorListener,
): MetricsPipeline {
  // It does not start its own server; the process's server controls access.
  const prometheusExporter = prometheus ? new PrometheusExporter({ preventServerStart: true }) : null;
  const otlpReader = otlp === undefined ? null : createPushReader(otlp, onError);
  const readers = [prometheusExporter, otlpReader].filter((reader) => reader !== null);
  for (const reader of readers) dropUnobservedGauges(reader);
  const provider = new MeterProvider({ resource, readers });
  const meter = provider.getMeter('@pawl/telemetry', manifest.version, { schemaUrl: otelSchemaUrl });
  const instruments = createInstruments(meter);
  const sessionStates = new Map<object, () => TurnStatus>();
  let sources: GaugeSources = {};
  const stop = observeGauges(meter, {
    states: () => [...sessionStates.values()].map((state) => state()),
    sources: () => sources,
  });
  const toolLabel = createLabelLimiter();
  const responseModelLabel = createLabelLimiter();
  return {
    observe({ model, state }) {
      const metrics = createSessionMetricsObserver({
        instruments,
        model,
        toolLabel,
        responseModelLabel,
      });
      sessionStates.set(metrics, state);
      return {
        observe: (observation) => metrics.observe(observation),
        end() {
          sessionStates.delete(metrics);
          metrics.end();
        },
      };
    },
    addSources(added) {
      sources = { ...sources, ...added };
    },
    report(kind) {
      instruments.workerReports.add(1, { [pawlAttributes.report]: kind });
      if (kind === 'lost') instruments.leaseLosses.add(1);
    },
    text: prometheusExporter === null ? null : () => serializePrometheus(prometheusExporter),
    async shutdown() {
      stop();
      await provider.shutdown();
    },
  };
}

function createPushReader(
  { everyMs = 30_000, ...collector }: OtlpCollector & { readonly everyMs?: number },
  onError: ExportErrorListener,
): MetricReader {
  return new PeriodicExportingMetricReader({
    exporter: createMetricExporter(collector, onError),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, 4_000),
  });
}

/**
 * With cumulative temporality, the SDK repeats the last value of a gauge that was not observed, such as the depth of a
 * queue that cannot be read. Exported gauges have no temporality, so here "delta" only means: nothing is repeated.
 */
function dropUnobservedGauges(reader: MetricReader): void {
  const select = reader.selectAggregationTemporality.bind(reader);
  reader.selectAggregationTemporality = (type) =>
    type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : select(type);
}

async function serializePrometheus(exporter: PrometheusExporter): Promise<string> {
  const { resourceMetrics } = await exporter.collect();
  // Omits the scope labels, because all metrics come from one library.
  return new PrometheusSerializer(undefined, false, undefined, false, true).serialize(resourceMetrics);
}

/** A model can invent any number of tool names, and a server any model name, so metric labels must be limited. */
const labelsMax = 200;
const labelLengthMax = 100;

/** Maps names to labels: the first ones unchanged, all others to `_OTHER`. */
function createLabelLimiter(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    const label = name.slice(0, labelLengthMax);
    if (known.has(label)) return label;
    if (known.size >= labelsMax) return '_OTHER';
    known.add(label);
    return label;
  };
}
