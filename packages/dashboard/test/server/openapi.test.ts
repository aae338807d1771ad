import type { Event } from '@pawl/core';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { apiErrorCodes } from '../../src/api/errors.ts';
import { buildOpenApiDocument } from '../../src/openapi.ts';
import { apiRoutes } from '../../src/routes/routes.ts';
import { startTestServer, shortRunEvents, type TestServer } from './test-server.ts';

const loop: readonly Event[] = [
  { type: 'user-message', at: 1, text: 'Look' },
  ...[2, 3, 4].flatMap((at): Event[] => [
    { type: 'model-replied', at, text: '', calls: [{ id: `c${at}`, tool: 'look', args: {} }] },
    { type: 'tool-finished', at, callId: `c${at}`, outcome: { ok: true, output: 'nothing' } },
  ]),
  {
    type: 'verdict-reached',
    at: 5,
    verdict: {
      severity: 'advise',
      rule: 'by-hand',
      reason: 'it looks again',
      advice: 'stop',
      evidence: [3],
      response: { kind: 'advise' },
    },
  },
];

/** One valid request for every route. */
const requests: Readonly<Record<string, (server: TestServer) => Promise<Response>>> = {
  listSessions: ({ get }) => get('/api/v1/sessions'),
  createSession: ({ post }) => post('/api/v1/sessions', { requestId: 'r', goal: 'Go' }),
  readSession: ({ get }) => get('/api/v1/sessions/attic'),
  listEvents: ({ get }) => get('/api/v1/sessions/attic/events'),
  forkSession: ({ post }) => post('/api/v1/sessions/attic/fork', { at: 3 }),
  readPrompt: ({ get }) => get('/api/v1/sessions/attic/prompt?at=1'),
  searchMemory: ({ get }) => get('/api/v1/sessions/attic/memory'),
  readFleet: ({ get }) => get('/api/v1/fleet'),
  readHealth: ({ get }) => get('/api/v1/health'),
  sendCommand: ({ post }) => post('/api/v1/sessions/attic/commands', { kind: 'pause' }),
  listApprovals: ({ get }) => get('/api/v1/approvals'),
  markVerdict: ({ post }) => post('/api/v1/sessions/loop/verdicts/8', { mark: 'right' }),
  importRuns: ({ post }) =>
    post('/api/v1/imports', JSON.stringify({ id: 'a', steps: [{ i: 0, role: 'assistant', text: 'Hi' }] })),
  watchSessions: ({ get }) => get('/api/v1/sessions/stream'),
  watchSession: ({ get }) => get('/api/v1/sessions/attic/stream'),
};

it('has a test request for every route', () => {
  expect(Object.keys(requests).toSorted()).toEqual(apiRoutes.map(({ name }) => name).toSorted());
});

it.each(apiRoutes.map((route) => [route.name, route] as const))(
  '%s responds as documented',
  async (name, route) => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    await server.keep('loop', loop);
    const answer = await (requests[name] ?? requests['readHealth'])?.(server);
    if (answer === undefined) throw new Error('there is no request');
    const described = route.responses[answer.status];
    expect(described, `${answer.status}`).toBeDefined();
    const schema: z.ZodType | string = described?.schema ?? '';
    if (typeof schema === 'string') {
      expect(answer.headers.get('content-type')).toContain(schema);
      await answer.body?.cancel();
    } else {
      const body = await answer.json();
      // Undocumented routes are not served.
      expect(schema.parse(body)).toEqual(body);
    }
  },
);

type DescribedApi = { readonly paths: object; readonly components: { readonly schemas: object } };

it('contains no dangling references', () => {
  const document = buildOpenApiDocument('1') as DescribedApi;
  const names = Object.keys(document.components.schemas);
  const text = JSON.stringify(document);
  const referred = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
  expect(referred.length).toBeGreaterThan(20);
  for (const to of referred) expect(names.map((name) => `#/components/schemas/${name}`)).toContain(to);
  expect(text).not.toContain('$defs');
  expect(text).toContain(apiErrorCodes[0]);
});

it('names each operation once and describes every path parameter', () => {
  const document = buildOpenApiDocument('1') as DescribedApi;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods as object).map((operation) => ({
      path,
      ...(operation as { operationId: string; parameters?: { name: string; in: string }[] }),
    })),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(apiRoutes.length);
  for (const { path, parameters = [] } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(inPath);
  }
});
