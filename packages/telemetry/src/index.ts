export type { OtlpCollector, ExportErrorListener } from './exporters.ts';
export type { QueueDepth, GaugeSources } from './gauges.ts';
export { prometheusContentType, serveMetrics } from './serve-metrics.ts';
export type { MetricsServer } from './serve-metrics.ts';
export { createTelemetry } from './telemetry.ts';
export type { SessionObserver, TelemetryClient, TelemetryOptions } from './telemetry.ts';
export type { TracedPorts } from './trace-ports.ts';
