import { apiErrorCodes } from '../packages/dashboard/src/api/errors.ts';
import { buildOpenApiDocument } from '../packages/dashboard/src/openapi.ts';
import { renderAlignedTable } from './markdown-table.ts';
import type { GeneratedPage } from './pages.ts';

/** docs/http-api.md: all routes of the dashboard's server, generated from its OpenAPI document. */
export function buildHttpApiPage(): readonly GeneratedPage[] {
  const document = buildOpenApiDocument('0') as ApiDocument;
  const paths = Object.entries(document.paths).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => renderOperation(method, path, operation)),
  );
  const schemas = Object.entries(document.components.schemas).map(renderSchema);
  const text = [...introduction, '## Requests', ...operations, '## Shapes', ...schemas].join('\n\n');
  return [{ path: 'docs/http-api.md', text: `${text}\n` }];
}

type ApiSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
};

type ApiContent = Readonly<Record<string, { readonly schema: ApiSchema }>>;

type ApiOperation = {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: ApiSchema;
  }[];
  readonly requestBody?: { readonly content: ApiContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: ApiContent }>
  >;
};

type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
};

const introduction = [
  '# HTTP API',
  'The HTTP API of the server that [`pawl dashboard`](dashboard.md) starts. Its OpenAPI 3.1 document is at `/api/v1/openapi.json`; this page is generated from the schemas that validate the requests.',
  [
    '- **Authentication.** Send `Authorization: Bearer` with the token from `PAWL_DASHBOARD_TOKEN`, set when the server starts. A browser uses the cookie from its login instead.',
    '- **Changes** need the header `X-Pawl: 1`, which a form on another page cannot send.',
    '- **Idempotency.** A request with a `requestId` takes effect once, however often it is sent.',
    '- **Streams** are server-sent events. An interrupted stream continues with `Last-Event-ID`, which browsers send automatically.',
    '- **Secrets** are masked in every response: the keys in the environment, and values that look like secrets.',
    '- **Limits.** 50 requests per second with bursts of 200; 64 streams; 1 MB and 64 levels of nesting per request; 64 MB per file.',
  ].join('\n'),
  'An error is `{ "error": { "code", "message", "hint" } }`, where `hint` may be missing and `code` is one of ' +
    `${apiErrorCodes.map((code) => `\`${code}\``).join(', ')}.`,
  [
    '```sh',
    'export PAWL_DASHBOARD_TOKEN=$(openssl rand -hex 32)',
    'pawl dashboard --no-open --port 4747   # then, with the same variable:',
    'api() { curl --silent --header "Authorization: Bearer $PAWL_DASHBOARD_TOKEN" --header "X-Pawl: 1" "$@"; }',
    'api http://127.0.0.1:4747/api/v1/sessions',
    'api --json \'{"requestId":"1","goal":"How are retries counted?"}\' http://127.0.0.1:4747/api/v1/sessions',
    '```',
  ].join('\n'),
];

function renderOperation(method: string, path: string, operation: ApiOperation): string {
  const { parameters = [], requestBody, responses, summary } = operation;
  const queries = parameters.filter((each) => each.in === 'query');
  const rows = queries.map(({ name, required, description = '', schema }) => [
    `\`${name}\``,
    `${describeApiType(schema)}${required ? '' : describeDefault(schema)}`,
    description,
  ]);
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const bad = Object.keys(responses).filter((status) => !status.startsWith('2'));
  return [
    `### ${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
    summary,
    ...(rows.length === 0 ? [] : [renderAlignedTable(['query', 'type', 'description'], rows)]),
    ...(requestBody === undefined ? [] : [`Body: ${describeContent(requestBody.content)}.`]),
    good
      .map(
        ([status, { description, content }]) => `- \`${status}\` ${describeContent(content)}. ${description}`,
      )
      .join('\n'),
    `Otherwise ${bad.map((status) => `\`${status}\``).join(', ')}.`,
  ].join('\n\n');
}

function describeDefault({ default: value }: ApiSchema): string {
  return value === undefined ? ', optional' : `, \`${JSON.stringify(value)}\` by default`;
}

function describeContent(content: ApiContent): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? describeApiType(schema) : `\`${type}\``))
    .join(' or ');
}

function renderSchema([name, schema]: [string, ApiSchema]): string {
  const { description = '' } = schema;
  const variants = schema.oneOf ?? schema.anyOf ?? [];
  const bodies = variants.length > 0 ? variants.map(renderVariant) : [renderApiFieldTable(schema)];
  return [`### ${name}`, description, ...bodies].filter((block) => block !== '').join('\n\n');
}

function renderVariant(schema: ApiSchema): string {
  const kind = schema.properties?.['kind']?.const;
  const title = [typeof kind === 'string' ? `\`${kind}\`` : '', schema.description ?? ''];
  return [title.filter((part) => part !== '').join(': '), renderApiFieldTable(schema)]
    .filter((block) => block !== '')
    .join('\n\n');
}

function renderApiFieldTable(schema: ApiSchema): string {
  const { properties = {}, required = [] } = schema;
  if (Object.keys(properties).length === 0)
    return schema.enum === undefined ? '' : `${describeApiType(schema)}.`;
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    `${describeApiType(field)}${required.includes(name) ? '' : describeDefault(field)}`,
    field.description ?? '',
  ]);
  return renderAlignedTable(['field', 'type', 'description'], rows);
}

function describeApiType(schema: ApiSchema): string {
  if (schema.$ref !== undefined) return renderReference(schema.$ref);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.map(describeApiType).join(' or ');
  if (schema.type === 'array') return `list of ${describeApiType(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties !== undefined) {
    return `{ ${Object.entries(schema.properties)
      .map(([name, field]) => `${name}: ${describeApiType(field)}`)
      .join(', ')} }`;
  }
  return [schema.type ?? 'anything'].flat().join(' or ');
}

function renderReference($ref: string): string {
  const name = $ref.split('/').at(-1) ?? '';
  return `[${name}](#${name.toLowerCase()})`;
}
