import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';

/** A collector that takes OTLP over HTTP, as JSON. */
export type Collector = {
  /** Without `/v1/traces` or `/v1/metrics`, which are added. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Told once when nothing can be sent any longer, and with null when it goes on. */
export type OnTrouble = (message: string | null) => void;

/** For one request. What is not sent by then is lost; nobody waits for it. */
const timeoutMillis = 3_000;

export function traceExporter(collector: Collector, onTrouble: OnTrouble): OTLPTraceExporter {
  const url = addressOf(collector, 'v1/traces');
  return noticing(new OTLPTraceExporter({ ...collector, url, timeoutMillis }), url, onTrouble);
}

export function metricExporter(collector: Collector, onTrouble: OnTrouble): OTLPMetricExporter {
  const url = addressOf(collector, 'v1/metrics');
  return noticing(new OTLPMetricExporter({ ...collector, url, timeoutMillis }), url, onTrouble);
}

function addressOf({ url }: Collector, path: string): string {
  return `${url.replace(/\/+$/, '')}/${path}`;
}

type Exporting<Batch> = {
  export(batch: Batch, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
};

/** The library keeps its troubles to itself; whoever has asked for telemetry wants to know why there is none. */
function noticing<Batch, Exporter extends Exporting<Batch>>(
  exporter: Exporter & Exporting<Batch>,
  url: string,
  onTrouble: OnTrouble,
): Exporter {
  let isInTrouble = false;
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      const hasFailed = result.code !== 0;
      if (hasFailed && !isInTrouble)
        onTrouble(`Telemetry cannot be sent to ${withoutSecrets(url)}: ${reasonIn(result.error)}`);
      if (!hasFailed && isInTrouble) onTrouble(null);
      isInTrouble = hasFailed;
      done(result);
    });
  return exporter;
}

/** An address may hold a key. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function reasonIn(error: Error | undefined): string {
  if (error === undefined) return 'no reason was given';
  // When no address of a host answers, the message of the whole is empty.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const message = error.message === '' && first instanceof Error ? first.message : error.message;
  return message === '' ? error.name : message.slice(0, 300);
}
