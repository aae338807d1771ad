import * as z from 'zod';
import { apiErrorSchema } from './api/errors.ts';
import type { ApiRoute } from './routes/route.ts';
import { apiRoutes } from './routes/routes.ts';

export type OpenApiDocument = { readonly [key: string]: unknown };

/** Builds the OpenAPI document from the same schemas that validate the requests. */
export function buildOpenApiDocument(version: string): OpenApiDocument {
  const components = new Map<string, unknown>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of apiRoutes) {
    const path = (paths[`/api/v1${route.path}`] ??= {});
    path[route.method] = buildOperation(route, components);
  }
  toComponentSchema(apiErrorSchema, components, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pawl',
      version,
      description: 'HTTP API of Pawl: list, follow, control and fork sessions.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'pawl-PORT' },
      },
    },
  };
}

type SchemaComponents = Map<string, unknown>;

function buildOperation(route: ApiRoute, components: SchemaComponents): object {
  const responses = Object.entries(route.responses).map(([status, { description, schema }]) => [
    status,
    { description, content: buildResponseContent(schema, components) },
  ]);
  const failures = [...new Set([...listCommonFailures(route), ...(route.errorStatuses ?? [])])].map(
    (status) => [
      String(status),
      {
        description: failureTexts[status] ?? 'The request failed.',
        content: buildJsonContent('#/components/schemas/Error'),
      },
    ],
  );
  const parameters = [
    ...listPathParameters(route),
    ...listQueryParameters(route, components),
    ...listHeaderParameters(route),
  ];
  return {
    operationId: route.name,
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: { required: true, content: buildBodyContent(route.body, components) },
    }),
    responses: Object.fromEntries([...responses, ...failures]),
  };
}

const failureTexts: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'Authentication is missing or invalid.',
  403: 'The request is cross-origin, or its Host header does not name this server.',
  404: 'The resource does not exist.',
  409: 'The request conflicts with the current state.',
  410: 'The resource is damaged or was written by a newer version.',
  413: 'The request is too large.',
  429: 'Too many requests.',
  503: 'The store is currently unavailable.',
};

function listCommonFailures({ body }: ApiRoute): readonly number[] {
  return body === undefined ? [400, 401, 403, 429] : [400, 401, 403, 413, 429];
}

function listPathParameters({ path }: ApiRoute): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: name === 'seq' ? 'integer' : 'string' },
  }));
}

function listQueryParameters({ query }: ApiRoute, components: SchemaComponents): readonly object[] {
  if (query === undefined) return [];
  return Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = toComponentSchema(field as z.ZodType, components, 'input') as {
      readonly description?: string;
    };
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: 'query', required, ...(description !== undefined && { description }), schema };
  });
}

/** Requests that change state need this header. A form cannot set it, which prevents cross-site request forgery. */
function listHeaderParameters({ method }: ApiRoute): readonly object[] {
  if (method === 'get') return [];
  return [{ name: 'X-Pawl', in: 'header', required: true, schema: { type: 'string', const: '1' } }];
}

function buildBodyContent(body: NonNullable<ApiRoute['body']>, components: SchemaComponents): object {
  if ('type' in body) return { [body.type]: { schema: { type: 'string', format: 'binary' } } };
  return { 'application/json': { schema: toComponentSchema(body.schema, components, 'input') } };
}

function buildResponseContent(schema: z.ZodType | string, components: SchemaComponents): object {
  if (typeof schema === 'string') return { [schema]: { schema: { type: 'string' } } };
  return { 'application/json': { schema: toComponentSchema(schema, components, 'output') } };
}

function buildJsonContent($ref: string): object {
  return { 'application/json': { schema: { $ref } } };
}

/** Converts a schema to JSON Schema; named schemas become components and are referenced. */
function toComponentSchema(schema: z.ZodType, components: SchemaComponents, io: 'input' | 'output'): object {
  const jsonSchema = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  const { $schema: _, $defs = {}, ...definition } = jsonSchema as Record<string, unknown>;
  for (const [name, part] of Object.entries($defs as object)) {
    components.set(name, rewriteReferences(part));
  }
  const { id, ...rest } = rewriteReferences(definition) as { readonly id?: string };
  if (id === undefined) return rest;
  components.set(id, rest);
  return { $ref: `#/components/schemas/${id}` };
}

/** Rewrites references to local definitions into references to components. */
function rewriteReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteReferences);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) =>
    key === '$ref' && typeof part === 'string'
      ? [key, part.replace('#/$defs/', '#/components/schemas/')]
      : [key, rewriteReferences(part)],
  );
  return Object.fromEntries(entries);
}
