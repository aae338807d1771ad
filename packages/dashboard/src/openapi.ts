import * as z from 'zod';
import { apiErrorSchema } from './api/errors.ts';
import type { Route } from './routes/route.ts';
import { routes } from './routes/routes.ts';

export type OpenApi = { readonly [key: string]: unknown };

/** The description of the HTTP API, made from the very schemas that its requests are checked with. */
export function openApiDocument(version: string): OpenApi {
  const components = new Map<string, unknown>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = (paths[`/api/v1${route.path}`] ??= {});
    path[route.method] = operationOf(route, components);
  }
  schemaOf(apiErrorSchema, components, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pawl',
      version,
      description: 'Sessions of Pawl over HTTP: see them, take part in them, go back in time.',
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

type Components = Map<string, unknown>;

function operationOf(route: Route, components: Components): object {
  const answers = Object.entries(route.answers).map(([status, { what, schema }]) => [
    status,
    { description: what, content: contentOf(schema, components) },
  ]);
  const failures = [...new Set([...alwaysFails(route), ...(route.fails ?? [])])].map((status) => [
    String(status),
    { description: failureTexts[status] ?? 'It failed.', content: jsonContent('#/components/schemas/Error') },
  ]);
  const parameters = [...pathParameters(route), ...queryParameters(route, components), ...headers(route)];
  return {
    operationId: route.name,
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: { required: true, content: bodyContent(route.body, components) },
    }),
    responses: Object.fromEntries([...answers, ...failures]),
  };
}

const failureTexts: Readonly<Record<number, string>> = {
  400: 'The request is not as it should be.',
  401: 'Nobody is logged in.',
  403: 'It came from another page, or under a name that is not this server’s.',
  404: 'There is no such thing.',
  409: 'It does not fit what there is.',
  410: 'It is damaged, or of a newer version.',
  413: 'The request is too large.',
  429: 'Too many requests.',
  503: 'The store cannot be reached at the moment.',
};

function alwaysFails({ body }: Route): readonly number[] {
  return body === undefined ? [400, 401, 403, 429] : [400, 401, 403, 413, 429];
}

function pathParameters({ path }: Route): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: name === 'seq' ? 'integer' : 'string' },
  }));
}

function queryParameters({ query }: Route, components: Components): readonly object[] {
  if (query === undefined) return [];
  return Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType, components, 'input') as {
      readonly description?: string;
    };
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: 'query', required, ...(description !== undefined && { description }), schema };
  });
}

/** So that no page of anybody else can ask for a change: a form cannot send it. */
function headers({ method }: Route): readonly object[] {
  if (method === 'get') return [];
  return [{ name: 'X-Pawl', in: 'header', required: true, schema: { type: 'string', const: '1' } }];
}

function bodyContent(body: NonNullable<Route['body']>, components: Components): object {
  if ('type' in body) return { [body.type]: { schema: { type: 'string', format: 'binary' } } };
  return { 'application/json': { schema: schemaOf(body.schema, components, 'input') } };
}

function contentOf(schema: z.ZodType | string, components: Components): object {
  if (typeof schema === 'string') return { [schema]: { schema: { type: 'string' } } };
  return { 'application/json': { schema: schemaOf(schema, components, 'output') } };
}

function jsonContent($ref: string): object {
  return { 'application/json': { schema: { $ref } } };
}

/** The schema as JSON Schema; those with a name are put among the components and referred to. */
function schemaOf(schema: z.ZodType, components: Components, io: 'input' | 'output'): object {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  const { $schema: _, $defs = {}, ...whole } = made as Record<string, unknown>;
  for (const [name, part] of Object.entries($defs as object)) {
    components.set(name, renamed(part));
  }
  const { id, ...rest } = renamed(whole) as { readonly id?: string };
  if (id === undefined) return rest;
  components.set(id, rest);
  return { $ref: `#/components/schemas/${id}` };
}

/** What refers to a definition of its own document refers to a component of this one. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) =>
    key === '$ref' && typeof part === 'string'
      ? [key, part.replace('#/$defs/', '#/components/schemas/')]
      : [key, renamed(part)],
  );
  return Object.fromEntries(entries);
}
