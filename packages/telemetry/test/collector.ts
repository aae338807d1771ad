import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

type OtlpValue = {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
};
type OtlpAttributes = readonly { readonly key: string; readonly value: OtlpValue }[];

type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: OtlpAttributes;
  readonly events: readonly { readonly name: string; readonly attributes: OtlpAttributes }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
};

type OtlpScope = { readonly scope: { readonly name: string }; readonly schemaUrl?: string };

type OtlpTraces = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpAttributes };
    readonly scopeSpans: readonly (OtlpScope & { readonly spans: readonly OtlpSpan[] })[];
  }[];
};

type OtlpMetrics = {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly (OtlpScope & { readonly metrics: readonly OtlpMetric[] })[];
  }[];
};

type OtlpMetric = {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: {
    readonly aggregationTemporality: number;
    readonly dataPoints: readonly {
      readonly attributes: OtlpAttributes;
      readonly count: number | string;
      readonly sum: number;
      readonly explicitBounds: readonly number[];
    }[];
  };
};

export type PlainAttributes = Readonly<Record<string, unknown>>;

export type ReceivedSpan = Omit<
  OtlpSpan,
  'attributes' | 'events' | 'startTimeUnixNano' | 'endTimeUnixNano'
> & {
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: PlainAttributes;
  readonly events: readonly { readonly name: string; readonly attributes: PlainAttributes }[];
  readonly resource: PlainAttributes;
  readonly schemaUrl: string | undefined;
};

export type ReceivedMetric = {
  readonly name: string;
  readonly unit: string;
  readonly schemaUrl: string | undefined;
  /** Empty if it is not a histogram. */
  readonly points: readonly {
    readonly attributes: PlainAttributes;
    readonly count: number;
    readonly sum: number;
    readonly bounds: readonly number[];
  }[];
};

export type TestCollector = {
  readonly url: string;
  /** The status of its responses; 200 by default. */
  status: number;
  /** All received spans, in order. */
  spans(): readonly ReceivedSpan[];
  /** All received metrics, in order. */
  metrics(): readonly ReceivedMetric[];
  readonly requests: readonly {
    readonly path: string;
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly body: string;
  }[];
  close(): Promise<void>;
};

/** Starts a collector that accepts OTLP over HTTP, as JSON. */
export async function startTestCollector(): Promise<TestCollector> {
  const requests: { path: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(self.status, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const bodies = (path: string): readonly unknown[] =>
    requests.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as unknown);
  const self: TestCollector = {
    status: 200,
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () => (bodies('/v1/traces') as readonly OtlpTraces[]).flatMap(toReceivedSpans),
    metrics: () => (bodies('/v1/metrics') as readonly OtlpMetrics[]).flatMap(toReceivedMetrics),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return self;
}

function toReceivedSpans({ resourceSpans }: OtlpTraces): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ schemaUrl, spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, ...span }) => ({
        ...span,
        startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
        attributes: toPlainAttributes(span.attributes),
        events: span.events.map(({ name, attributes }) => ({
          name,
          attributes: toPlainAttributes(attributes),
        })),
        resource: toPlainAttributes(resource.attributes),
        schemaUrl,
      })),
    ),
  );
}

function toReceivedMetrics({ resourceMetrics }: OtlpMetrics): readonly ReceivedMetric[] {
  return resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ schemaUrl, metrics }) =>
      metrics.map(({ name, unit, histogram }) => ({
        name,
        unit,
        schemaUrl,
        points: (histogram?.dataPoints ?? []).map(({ attributes, count, sum, explicitBounds }) => ({
          attributes: toPlainAttributes(attributes),
          count: Number(count),
          sum,
          bounds: explicitBounds,
        })),
      })),
    ),
  );
}

function toPlainAttributes(pairs: OtlpAttributes): PlainAttributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, toPlainValue(value)]));
}

function toPlainValue(value: OtlpValue): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(toPlainValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

/** Lists problems of a trace: spans of another trace, duplicate spans, or missing parents. */
export function findTraceProblems(spans: readonly ReceivedSpan[]): readonly string[] {
  const ids = new Map<string, number>();
  for (const { spanId } of spans) ids.set(spanId, (ids.get(spanId) ?? 0) + 1);
  const roots = spans.filter(({ parentSpanId = '' }) => parentSpanId === '');
  return [
    ...(new Set(spans.map(({ traceId }) => traceId)).size === 1 ? [] : ['not one trace']),
    ...(roots.length === 1 ? [] : [`${roots.length} roots`]),
    ...[...ids].flatMap(([id, count]) => (count === 1 ? [] : [`${id} ${count} times`])),
    ...spans.flatMap(({ name, parentSpanId = '' }) =>
      parentSpanId === '' || ids.has(parentSpanId) ? [] : [`${name} has no parent`],
    ),
    ...spans.flatMap(({ name, startMs, endMs }) =>
      endMs >= startMs ? [] : [`${name} ends before it starts`],
    ),
  ];
}
