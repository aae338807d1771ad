export type { Collector, OnTrouble } from './exporters.ts';
export type { QueueDepth, Sources } from './gauges.ts';
export { prometheusType, serveMetrics } from './serve-metrics.ts';
export type { MetricsServer } from './serve-metrics.ts';
export { createTelemetry } from './telemetry.ts';
export type { SessionObserver, Telemetry, TelemetryOptions } from './telemetry.ts';
export type { Means } from './within.ts';
