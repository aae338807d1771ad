import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getConversation, toItemArray } from '@pawl/core';
import type { Tool } from '@pawl/runtime';
import { createHooks } from '@pawl/runtime/hooks';
import { connectMcpServer } from '@pawl/runtime/mcp';
import { createModelFromSpec } from '@pawl/runtime/models';
import { passthroughSandbox } from '@pawl/runtime/sandbox';
import { createShellTool } from '@pawl/runtime/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTelemetry, type TelemetryClient } from '../src/index.ts';
import { startTestCollector, type TestCollector, type ReceivedSpan } from './collector.ts';
import { startObserved, createLookReply, createPricedModel } from './observed-worker.ts';

let collector: TestCollector;
let telemetry: TelemetryClient;
let root: string;

beforeEach(async () => {
  collector = await startTestCollector();
  telemetry = createTelemetry({ traces: { url: collector.url } });
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-context-')));
});

afterEach(async () => {
  await telemetry.shutdown();
  await collector.close();
  rmSync(root, { recursive: true });
});

/** Calls the tool once; returns its result and the span of the call. */
async function callToolOnce(
  tool: Tool,
  args: object,
): Promise<{ readonly output: string; readonly span: ReceivedSpan | undefined }> {
  const { name } = tool.description;
  const model = createPricedModel([
    { calls: [{ id: 'one', tool: name, args: { ...args } }] },
    { text: 'Done.' },
  ]);
  const { agent, detach } = await startObserved(telemetry, { id: 'roof' }, { model, tools: [tool] });
  await agent.sendMessage('Go');
  const session = await agent.waitUntilIdle();
  await detach();
  await telemetry.shutdown();
  const result = toItemArray(getConversation(session)).find((message) => message.role === 'tool');
  return {
    output: JSON.stringify(result?.outcome),
    span: collector.spans().find((span) => span.name === `execute_tool ${name}`),
  };
}

const parseTraceparent = (text: string): readonly string[] =>
  /00-([0-9a-f]{32})-([0-9a-f]{16})-01/.exec(text)?.slice(1) ?? [];

describe('the trace context', () => {
  it('is in the environment of commands', { tags: ['unix'] }, async () => {
    const shell = createShellTool({ root, sandbox: passthroughSandbox });
    const { output, span } = await callToolOnce(shell, { command: 'echo "it is $TRACEPARENT"' });
    expect(parseTraceparent(output)).toEqual([span?.traceId, span?.spanId]);
  });

  it('is in the environment of hooks', { tags: ['unix'] }, async () => {
    const file = join(root, 'seen.txt');
    const command = ['/bin/sh', '-c', `echo "$TRACEPARENT" > ${file}`] as const;
    const { afterTools } = await createHooks({ workspace: root, afterTools: [{ command }] });
    const model = createPricedModel([createLookReply('roof'), { text: 'Done.' }]);
    const settings = { mutatingTools: ['look'] };
    const { agent, detach } = await startObserved(
      telemetry,
      { id: 'roof', settings },
      { model, hooks: afterTools },
    );
    await agent.sendMessage('Go');
    await agent.waitUntilIdle();
    await detach();
    await telemetry.shutdown();
    const span = collector.spans().find(({ name }) => name === 'run hooks');
    expect(parseTraceparent(readFileSync(file, 'utf8'))).toEqual([span?.traceId, span?.spanId]);
  });

  it('is sent with calls to MCP servers', async () => {
    const server = fileURLToPath(new URL('fixtures/meta-server.ts', import.meta.url));
    await using connection = await connectMcpServer(
      { name: 'meta', command: process.execPath, args: [server] },
      { newTools: 'approve' },
    );
    const [tool] = connection.tools;
    if (tool === undefined) throw new Error('The server has no tool.');
    const { output, span } = await callToolOnce(tool, {});
    expect(output).toContain('traceparent');
    expect(parseTraceparent(output)).toEqual([span?.traceId, span?.spanId]);
    expect(tool.description.description).toContain('Returns the metadata');
  });

  it('is a header of model requests', async () => {
    const traceparents: (string | undefined)[] = [];
    const server: Server = createServer((request, response) => {
      traceparents.push(request.headers['traceparent']?.toString());
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const environment = { PAWL_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const model = await createModelFromSpec('openai-compatible:roofer', environment);
    const { agent, detach } = await startObserved(telemetry, { id: 'roof' }, { model });
    await agent.sendMessage('Go');
    await agent.waitUntilIdle();
    await detach();
    await telemetry.shutdown();
    server.close();
    const span = collector.spans().find(({ name }) => name === 'chat roofer');
    expect(traceparents.map((header) => parseTraceparent(header ?? ''))).toEqual([
      [span?.traceId, span?.spanId],
    ]);
    expect(span?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai-compatible' });
  });

  it('is not set without tracing', { tags: ['unix'] }, async () => {
    await telemetry.shutdown();
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    const shell = createShellTool({ root, sandbox: passthroughSandbox });
    const { output } = await callToolOnce(shell, { command: 'echo "it is ${TRACEPARENT:-not there}"' });
    expect(output).toContain('it is not there');
  });
});
