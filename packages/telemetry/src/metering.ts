import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type MetricReader } from '@opentelemetry/sdk-metrics';
import type { TurnStatus } from '@pawl/core';
import manifest from '../package.json' with { type: 'json' };
import { metricExporter, type Collector, type OnTrouble } from './exporters.ts';
import { observeGauges, type Sources } from './gauges.ts';
import type { ModelNames } from './model-names.ts';
import { own } from './semconv.ts';
import { createSessionMetrics, openInstruments, type SessionMetrics } from './session-metrics.ts';
import { createToolLabels } from './tool-labels.ts';

export type MetricsOptions = {
  /** Keeps metrics ready for `prometheus()`. */
  readonly prometheus?: boolean;
  /** Where metrics go, and how often. */
  readonly otlp?: Collector & { readonly everyMs?: number };
};

type Observed = { readonly model: () => ModelNames; readonly state: () => TurnStatus };

export type Metering = {
  observe(means: Observed): SessionMetrics;
  ask(sources: Sources): void;
  report(kind: string): void;
  /** Null unless it is kept for Prometheus. */
  readonly text: (() => Promise<string>) | null;
  shutdown(): Promise<void>;
};

/** Metrics of one process. */
export function openMetering(
  resource: Resource,
  { prometheus = false, otlp }: MetricsOptions,
  onTrouble: OnTrouble,
): Metering {
  // It does not listen by itself: who may ask is up to the server of the process.
  const scraped = prometheus ? new PrometheusExporter({ preventServerStart: true }) : null;
  const pushed = otlp === undefined ? null : pushing(otlp, onTrouble);
  const readers = [scraped, pushed].filter((reader) => reader !== null);
  const provider = new MeterProvider({ resource, readers });
  const meter = provider.getMeter('@pawl/telemetry', manifest.version);
  const instruments = openInstruments(meter);
  const held = new Map<object, () => TurnStatus>();
  let sources: Sources = {};
  const stop = observeGauges(meter, {
    states: () => [...held.values()].map((state) => state()),
    sources: () => sources,
  });
  const toolLabel = createToolLabels();
  return {
    observe({ model, state }) {
      const metrics = createSessionMetrics({ instruments, model, toolLabel });
      held.set(metrics, state);
      return {
        see: (happening) => metrics.see(happening),
        end() {
          held.delete(metrics);
          metrics.end();
        },
      };
    },
    ask(more) {
      sources = { ...sources, ...more };
    },
    report(kind) {
      instruments.workerReports.add(1, { [own.report]: kind });
      if (kind === 'lost') instruments.leaseLosses.add(1);
    },
    text: scraped === null ? null : () => textOf(scraped),
    async shutdown() {
      stop();
      await provider.shutdown();
    },
  };
}

function pushing(
  { everyMs = 30_000, ...collector }: Collector & { readonly everyMs?: number },
  onTrouble: OnTrouble,
): MetricReader {
  return new PeriodicExportingMetricReader({
    exporter: metricExporter(collector, onTrouble),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, 4_000),
  });
}

async function textOf(exporter: PrometheusExporter): Promise<string> {
  const { resourceMetrics } = await exporter.collect();
  // Without the name of the one library that all of it is from.
  return new PrometheusSerializer(undefined, false, undefined, false, true).serialize(resourceMetrics);
}
