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

type OtlpTraces = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};

type OtlpMetrics = {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
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
};

export type TestCollector = {
  readonly url: string;
  /** The status of its responses; 200 by default. */
  status: number;
  /** All received spans, in order. */
  spans(): readonly ReceivedSpan[];
  /** The names of all received metrics. */
  metrics(): ReadonlySet<string>;
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
    metrics: () =>
      new Set(
        (bodies('/v1/metrics') as readonly OtlpMetrics[]).flatMap(({ resourceMetrics }) =>
          resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
          ),
        ),
      ),
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
    scopeSpans.flatMap(({ spans }) =>
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
