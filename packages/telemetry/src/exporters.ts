import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';

/** A collector that accepts OTLP over HTTP, as JSON. */
export type OtlpCollector = {
  /** The base URL, to which `/v1/traces` and `/v1/metrics` are appended. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Called once when exporting starts to fail, and with null when it recovers. */
export type ExportErrorListener = (message: string | null) => void;

/** Timeout of one request. Data not sent by then is dropped. */
const exportTimeoutMs = 3_000;

export function createTraceExporter(
  collector: OtlpCollector,
  onError: ExportErrorListener,
): OTLPTraceExporter {
  const url = buildSignalUrl(collector, 'v1/traces');
  return reportExportErrors(
    new OTLPTraceExporter({ ...collector, url, timeoutMillis: exportTimeoutMs }),
    url,
    onError,
  );
}

export function createMetricExporter(
  collector: OtlpCollector,
  onError: ExportErrorListener,
): OTLPMetricExporter {
  const url = buildSignalUrl(collector, 'v1/metrics');
  return reportExportErrors(
    new OTLPMetricExporter({ ...collector, url, timeoutMillis: exportTimeoutMs }),
    url,
    onError,
  );
}

function buildSignalUrl({ url }: OtlpCollector, path: string): string {
  return `${url.replace(/\/+$/, '')}/${path}`;
}

type BatchExporter<Batch> = {
  export(batch: Batch, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
};

/** Reports export failures, which the library does not surface by itself. */
function reportExportErrors<Batch, Exporter extends BatchExporter<Batch>>(
  exporter: Exporter & BatchExporter<Batch>,
  url: string,
  onError: ExportErrorListener,
): Exporter {
  let isFailing = false;
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      const hasFailed = result.code !== 0;
      if (hasFailed && !isFailing)
        onError(`Telemetry cannot be sent to ${stripUrlSecrets(url)}: ${getExportErrorReason(result.error)}`);
      if (!hasFailed && isFailing) onError(null);
      isFailing = hasFailed;
      done(result);
    });
  return exporter;
}

/** Removes credentials and the query, because a URL may contain a key. */
function stripUrlSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function getExportErrorReason(error: Error | undefined): string {
  if (error === undefined) return 'unknown error';
  // If no address of a host answers, the aggregate error has an empty message.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const message = error.message === '' && first instanceof Error ? first.message : error.message;
  return message === '' ? error.name : message.slice(0, 300);
}
