import { errorCodes } from '../packages/dashboard/src/api/errors.ts';
import { openApiDocument } from '../packages/dashboard/src/openapi.ts';
import { markdownTable } from './markdown-table.ts';
import type { Page } from './pages.ts';

/** docs/http-api.md: every request that the dashboard's server answers, from the description that it gives of itself. */
export function httpApiPage(): readonly Page[] {
  const document = openApiDocument('0') as Document;
  const paths = Object.entries(document.paths).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationBlock(method, path, operation)),
  );
  const schemas = Object.entries(document.components.schemas).map(schemaBlock);
  const text = [...introduction, '## Requests', ...operations, '## Shapes', ...schemas].join('\n\n');
  return [{ path: 'docs/http-api.md', text: `${text}\n` }];
}

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

type Operation = {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const introduction = [
  '# HTTP API',
  'The server of [`pawl dashboard`](dashboard.md) answers these requests. It describes itself in OpenAPI 3.1 at `/api/v1/openapi.json`; this page is made from the same schemas that the requests are checked with.',
  [
    '- **Who may ask.** Send `Authorization: Bearer` with the token that you put in `PAWL_DASHBOARD_TOKEN` before you started it. A browser has a cookie instead, from its login.',
    '- **Changes** need the header `X-Pawl: 1`, which no form of another page can send.',
    '- **Twice is once.** What carries a `requestId` is done once, however often it is sent.',
    '- **Streams** are server-sent events. One that breaks off is gone on with by `Last-Event-ID`, which browsers send by themselves.',
    '- **Secrets** are left out of every answer: the keys in the environment, and whatever looks like one.',
    '- **Limits.** 50 requests a second, 200 at once; 64 streams; 1 MB a request and 64 levels of nesting; 64 MB for a file.',
  ].join('\n'),
  'An error is `{ "error": { "code", "message", "hint" } }`, where `hint` may be missing and `code` is one of ' +
    `${errorCodes.map((code) => `\`${code}\``).join(', ')}.`,
  [
    '```sh',
    'export PAWL_DASHBOARD_TOKEN=$(openssl rand -hex 32)',
    'pawl dashboard --no-open --port 4747   # and then, where the same variable is set:',
    'api() { curl --silent --header "Authorization: Bearer $PAWL_DASHBOARD_TOKEN" --header "X-Pawl: 1" "$@"; }',
    'api http://127.0.0.1:4747/api/v1/sessions',
    'api --json \'{"requestId":"1","goal":"How are retries counted?"}\' http://127.0.0.1:4747/api/v1/sessions',
    '```',
  ].join('\n'),
];

function operationBlock(method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody, responses, summary } = operation;
  const queries = parameters.filter((each) => each.in === 'query');
  const rows = queries.map(({ name, required, description = '', schema }) => [
    `\`${name}\``,
    `${typeText(schema)}${required ? '' : fallback(schema)}`,
    description,
  ]);
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const bad = Object.keys(responses).filter((status) => !status.startsWith('2'));
  return [
    `### ${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
    summary,
    ...(rows.length === 0 ? [] : [markdownTable(['query', 'type', 'what it is'], rows)]),
    ...(requestBody === undefined ? [] : [`Body: ${contentText(requestBody.content)}.`]),
    good
      .map(([status, { description, content }]) => `- \`${status}\` ${contentText(content)}. ${description}`)
      .join('\n'),
    `Otherwise ${bad.map((status) => `\`${status}\``).join(', ')}.`,
  ].join('\n\n');
}

function fallback({ default: value }: Schema): string {
  return value === undefined ? ', may be left out' : `, \`${JSON.stringify(value)}\` if left out`;
}

function contentText(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeText(schema) : `\`${type}\``))
    .join(' or ');
}

function schemaBlock([name, schema]: [string, Schema]): string {
  const { description = '' } = schema;
  const variants = schema.oneOf ?? schema.anyOf ?? [];
  const bodies = variants.length > 0 ? variants.map(variantText) : [fieldTable(schema)];
  return [`### ${name}`, description, ...bodies].filter((block) => block !== '').join('\n\n');
}

function variantText(schema: Schema): string {
  const kind = schema.properties?.['kind']?.const;
  const title = [typeof kind === 'string' ? `\`${kind}\`` : '', schema.description ?? ''];
  return [title.filter((part) => part !== '').join(': '), fieldTable(schema)]
    .filter((block) => block !== '')
    .join('\n\n');
}

function fieldTable(schema: Schema): string {
  const { properties = {}, required = [] } = schema;
  if (Object.keys(properties).length === 0) return schema.enum === undefined ? '' : `${typeText(schema)}.`;
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    `${typeText(field)}${required.includes(name) ? '' : fallback(field)}`,
    field.description ?? '',
  ]);
  return markdownTable(['field', 'type', 'what it is'], rows);
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return reference(schema.$ref);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.map(typeText).join(' or ');
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties !== undefined) {
    return `{ ${Object.entries(schema.properties)
      .map(([name, field]) => `${name}: ${typeText(field)}`)
      .join(', ')} }`;
  }
  return [schema.type ?? 'anything'].flat().join(' or ');
}

function reference($ref: string): string {
  const name = $ref.split('/').at(-1) ?? '';
  return `[${name}](#${name.toLowerCase()})`;
}
