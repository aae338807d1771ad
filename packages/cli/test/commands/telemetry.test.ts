import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openRedisStore } from '@pawl/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  startTestCollector,
  findTraceProblems,
  type TestCollector,
} from '../../../telemetry/test/collector.ts';
import { lintMetricNames, parseExposition, sumSamples } from '../../../telemetry/test/exposition.ts';
import { checkWithPromtool } from '../../../telemetry/test/promtool.ts';
import { startRedis } from '../../../worker/test/redis-server.ts';
import { runDashboard } from '../../src/commands/dashboard/action.ts';
import { loadConfig } from '../../src/options/load-config.ts';
import { sendSessionCommand } from '../../src/commands/tell/action.ts';
import { openTelemetry } from '../../src/observability/run-telemetry.ts';
import { submitGoal } from '../../src/commands/submit/action.ts';
import { runWorker } from '../../src/commands/worker/action.ts';
import { openTerminalPrompt } from '../../src/output/terminal-prompt.ts';
import { captureTerminalIo, captureIo } from '../capture-io.ts';
import { startOpenAiServer } from '../openai-server.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');
const preload = fileURLToPath(new URL('../fixtures/loaded-modules.ts', import.meta.url));

let collector: TestCollector;
let folder = '';
let loadedModulesFile = '';

beforeEach(async () => {
  collector = await startTestCollector();
  folder = await mkdtemp(join(tmpdir(), 'pawl-telemetry-'));
  loadedModulesFile = join(folder, 'loaded.txt');
  await mkdir(join(folder, 'work'));
  await writeFile(
    join(folder, 'work', 'garden.md'),
    '# Garden\n\nThe garden party is on the ninth of June.\n',
  );
});

afterEach(async () => {
  await collector.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the program in a separate process, without the telemetry variables of this environment. */
async function runPawlProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  nodeFlags: readonly string[] = [],
): Promise<{ code: number | null; err: string }> {
  const [command = '', ...rest] = args;
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('OTEL_'));
  const child = spawn(
    process.execPath,
    [
      ...nodeFlags,
      bin,
      command,
      '--dir',
      join(folder, 'work'),
      '--store',
      join(folder, 'kept.db'),
      '--quiet',
      ...rest,
    ],
    {
      env: {
        ...Object.fromEntries(own),
        XDG_CONFIG_HOME: join(folder, 'config'),
        LOADED_MODULES: loadedModulesFile,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const [err] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, err };
}

const goal = 'When is the garden party?';

describe('pawl run with a collector', () => {
  it('sends one connected trace and metrics, and pawl resume continues the trace', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20rose',
      OTEL_SERVICE_NAME: 'gardeners',
    };
    expect(await runPawlProcess(['run', goal], env)).toMatchObject({ code: 0, err: '' });
    const spans = collector.spans();
    expect(findTraceProblems(spans)).toEqual([]);
    const names = spans.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['session', 'invoke_agent pawl', 'chat librarian', 'execute_tool search']),
    );
    expect(new Set(collector.requests.map(({ headers }) => headers['x-key']))).toEqual(new Set(['a rose']));
    expect(spans[0]?.resource).toMatchObject({ 'service.name': 'gardeners' });
    expect(collector.metrics().map(({ name }) => name)).toContain('gen_ai.client.operation.duration');
    expect(collector.requests.map(({ body }) => body).join('')).not.toMatch(/ninth|garden party/);
    expect((await runPawlProcess(['resume', 'last', 'Who comes?'], env)).code).toBe(0);
    const all = collector.spans();
    expect(all.length).toBeGreaterThan(spans.length);
    expect(findTraceProblems(all)).toEqual([]);
    expect(all.map(({ name }) => name)).toContain('session resumed');
  });

  it.each([[[]], [['--trace-file', 'trace.log']]])(
    'describes the response and the server of a provider with %j, and stores neither',
    async (flags) => {
      const server = await startOpenAiServer();
      server.says = () => 'On the ninth of June.';
      const own = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, PAWL_BASE_URL: server.url };
      const options = flags.map((flag) => (flag === 'trace.log' ? join(folder, flag) : flag));
      await runPawlProcess(['run', '--model', 'openai-compatible:m1', ...options, goal], own);
      server.close();
      const [chat] = collector.spans().filter(({ name }) => name === 'chat m1');
      expect(chat?.attributes).toMatchObject({
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.response.id': 'c1',
        'gen_ai.response.model': 'm',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(server.url).port),
      });
      const { stdout } = spawnSync(
        process.execPath,
        [bin, 'show', 'last', '--json', '--store', join(folder, 'kept.db')],
        { cwd: join(folder, 'work'), encoding: 'utf8' },
      );
      expect(stdout).toContain('ninth of June');
      expect(stdout).not.toContain('finishReason');
    },
  );

  it('applies the user configuration, with headers from the environment', async () => {
    await mkdir(join(folder, 'config', 'pawl'), { recursive: true });
    const telemetry = { otlp: collector.url, headers: { 'x-key': '${GARDEN_KEY}' }, metrics: false };
    await writeFile(join(folder, 'config', 'pawl', 'pawl.config.json'), JSON.stringify({ telemetry }));
    expect((await runPawlProcess(['run', goal], { GARDEN_KEY: 'rose' })).code).toBe(0);
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(collector.requests[0]?.headers['x-key']).toBe('rose');
    const missing = await runPawlProcess(['run', goal]);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('variable GARDEN_KEY') as string });
  });

  it('ignores telemetry settings of a project with a warning', async () => {
    const file = join(folder, 'work', 'pawl.config.json');
    await writeFile(file, JSON.stringify({ telemetry: { otlp: collector.url } }));
    const { warnings } = await loadConfig(
      join(folder, 'work'),
      {},
      openTerminalPrompt(captureTerminalIo('y').io),
    );
    expect(warnings).toEqual([
      `${file} sets telemetry, which a project file cannot set. It was ignored: set it in the user configuration or the environment.`,
    ]);
  });

  it('answers despite an unreachable collector, with a warning', async () => {
    const url = collector.url;
    await collector.close();
    const { code, err } = await runPawlProcess(['run', goal], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(code).toBe(0);
    expect(err).toMatch(/Telemetry cannot be sent to http:.*ECONNREFUSED/);
    collector = await startTestCollector();
  });
});

describe('pawl run without a collector', () => {
  it.each([
    ['none is configured', {}],
    ['it is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }],
  ])('loads nothing for it and sends nothing: %s', async (_, env) => {
    expect(await runPawlProcess(['run', goal], env, ['--import', preload])).toMatchObject({
      code: 0,
      err: '',
    });
    const modules = (await readFile(loadedModulesFile, 'utf8')).split('\n');
    expect(modules.filter((url) => url.includes('/runtime/src/agent/agent.ts'))).not.toEqual([]);
    expect(modules.filter((url) => /opentelemetry|packages\/telemetry/.test(url))).toEqual([]);
    expect(collector.requests).toEqual([]);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'http://127.0.0.1:4317', /is grpc, but Pawl exports JSON/],
    [{}, 'localhost:4317', /neither http:\/\/ nor https:\/\//],
  ])('says why an address is of no use: %j %s', async (env, otlp, complaint) => {
    const warnings: string[] = [];
    const means = { env, warn: (line: string) => void warnings.push(line) };
    expect(await openTelemetry({ telemetry: { otlp } }, means)).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(complaint)]);
  });
});

describe('pawl dashboard', () => {
  it('serves metrics of its sessions and store to authorized clients', async () => {
    vi.stubEnv('PAWL_DASHBOARD_TOKEN', 'a-token-of-the-gardeners');
    const stop = new AbortController();
    const captured = captureIo();
    const store = join(folder, 'kept.db');
    const dir = join(folder, 'work');
    const ended = runDashboard({ dir, store, port: '0', json: true, signal: stop.signal }, captured.io);
    await expect.poll(captured.out).toContain('\n');
    const { url } = JSON.parse(captured.out().split('\n')[0] ?? '') as { url: string };
    const headers = { authorization: 'Bearer a-token-of-the-gardeners', 'x-pawl': '1' };
    const fetchMetrics = () => fetch(`${url}/metrics`, { headers });
    const scrape = async () => parseExposition(await (await fetchMetrics()).text());
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect(sumSamples(await scrape(), 'pawl_stored_sessions')).toBe(0);
    const body = JSON.stringify({ requestId: 'r', goal, model: 'librarian' });
    const json = { 'content-type': 'application/json' };
    const started = await fetch(`${url}/api/v1/sessions`, {
      method: 'POST',
      headers: { ...headers, ...json },
      body,
    });
    expect(started.status).toBe(201);
    const answered = { pawl_ending: 'answered' };
    await expect
      .poll(async () => sumSamples(await scrape(), 'gen_ai_invoke_agent_duration_count', answered))
      .toBe(1);
    const after = await scrape();
    expect(sumSamples(after, 'pawl_stored_sessions', { pawl_state: 'waitingForUser' })).toBe(1);
    expect(lintMetricNames(after)).toEqual([]);
    expect((await fetchMetrics()).headers.get('content-type')).toBe(
      'text/plain; version=0.0.4; charset=utf-8',
    );
    stop.abort();
    expect(await ended).toBe(0);
    vi.unstubAllEnvs();
  });

  it('passes promtool check metrics with sessions of several kinds', { tags: ['promtool'] }, async () => {
    vi.stubEnv('PAWL_DASHBOARD_TOKEN', 'a-token-of-the-gardeners');
    const stop = new AbortController();
    const captured = captureIo();
    const model = await startOpenAiServer();
    model.says = (_, { messages, tools = [] }) =>
      JSON.stringify(messages).includes('Loop') && tools.length > 0
        ? { tool: 'read', args: { path: 'a "missing" \\file' } }
        : 'On the ninth of June.';
    const flags = { dir: join(folder, 'work'), store: join(folder, 'kept.db'), baseUrl: model.url };
    const ended = runDashboard({ ...flags, port: '0', json: true, signal: stop.signal }, captured.io);
    await expect.poll(captured.out).toContain('\n');
    const { url } = JSON.parse(captured.out().split('\n')[0] ?? '') as { url: string };
    const headers = { authorization: 'Bearer a-token-of-the-gardeners', 'x-pawl': '1' };
    const start = async (requestId: string, question: string, named: string): Promise<void> => {
      const body = JSON.stringify({ requestId, goal: question, model: named });
      const json = { ...headers, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/api/v1/sessions`, { method: 'POST', headers: json, body });
      expect(answer.status).toBe(201);
    };
    vi.stubEnv('PAWL_BASE_URL', model.url);
    await start('a', goal, 'librarian');
    await start('b', goal, 'openai-compatible:m');
    await start('c', 'Loop', 'openai-compatible:m');
    const fetchMetrics = async () => (await fetch(`${url}/metrics`, { headers })).text();
    await expect
      .poll(async () =>
        sumSamples(parseExposition(await fetchMetrics()), 'gen_ai_invoke_agent_duration_count'),
      )
      .toBe(3);
    expect(checkWithPromtool(await fetchMetrics())).toBe('');
    stop.abort();
    expect(await ended).toBe(0);
    model.close();
    vi.unstubAllEnvs();
  });
});

describe('pawl worker --metrics-port', { tags: ['redis'] }, () => {
  it('serves current metrics, including the queue', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    const stop = new AbortController();
    const captured = captureIo();
    const dir = join(folder, 'work');
    const flags = { dir, store: redis.url };
    const times = { concurrency: '2', lease: '300', grace: '1', metricsPort: '0' };
    const ended = runWorker({ ...flags, ...times, signal: stop.signal }, captured.io);
    const address = (): string => /http:\S+\/metrics/.exec(captured.err())?.[0] ?? '';
    await expect.poll(address).not.toBe('');
    const url = address();
    const scrape = async () => parseExposition(await (await fetch(url)).text());
    expect(sumSamples(await scrape(), 'pawl_worker_reports_total')).toBe(0);
    expect(await submitGoal(goal, flags, captureIo().io)).toBe(0);
    const waiting = async () =>
      sumSamples(await scrape(), 'pawl_worker_reports_total', { pawl_report: 'waiting' });
    await expect.poll(waiting).toBeGreaterThan(0);
    const metrics = await scrape();
    expect(sumSamples(metrics, 'gen_ai_invoke_agent_duration_count', { pawl_ending: 'answered' })).toBe(1);
    expect(sumSamples(metrics, 'pawl_lease_losses_total')).toBe(0);
    const queue = metrics.get('pawl_queue_sessions')?.samples.map(({ labels }) => labels);
    expect(queue).toContainEqual({ pawl_tenant: 'default', pawl_state: 'waiting' });
    expect(metrics.has('pawl_queue_parked')).toBe(true);
    stop.abort();
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    await redis.stop();
  });
});

describe('pawl worker --metrics-port without Redis', { tags: ['redis'] }, () => {
  it('serves the metrics of the worker itself', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    const stop = new AbortController();
    const captured = captureIo();
    const flags = { dir: join(folder, 'work'), store: redis.url, metricsPort: '0' };
    const times = { concurrency: '1', lease: '300', grace: '1' };
    const ended = runWorker({ ...flags, ...times, signal: stop.signal }, captured.io);
    const address = (): string => /http:\S+\/metrics/.exec(captured.err())?.[0] ?? '';
    await expect.poll(address).not.toBe('');
    const url = address();
    expect(parseExposition(await (await fetch(url)).text()).has('pawl_queue_parked')).toBe(true);
    await redis.kill();
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const metrics = parseExposition(await response.text());
    expect([metrics.has('pawl_queue_parked'), metrics.has('pawl_sessions')]).toEqual([false, true]);
    expect(lintMetricNames(metrics)).toEqual([]);
    stop.abort();
    await ended;
    await redis.stop();
  });
});

describe('workers with a collector', { tags: ['redis'] }, () => {
  it('send one connected trace of a session that one started and another ended', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    const store = await openRedisStore(redis.url);
    const model = await startOpenAiServer();
    model.says = (request) =>
      request === 1 ? { tool: 'write', args: { path: 'plan.md', content: 'Roses.' } } : 'It is planned.';
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    const flags = { dir: join(folder, 'work'), store: redis.url };
    /** A worker that ends when it is idle. */
    const shift = async (): Promise<void> => {
      const stop = new AbortController();
      const captured = captureIo();
      const times = { concurrency: '1', lease: '300', grace: '1' };
      const ended = runWorker({ ...flags, ...times, signal: stop.signal }, captured.io);
      await expect.poll(captured.out).toContain('idle:');
      stop.abort();
      expect(await ended).toBe(0);
    };
    const submitted = captureIo();
    const means = { model: 'openai-compatible:m', baseUrl: model.url };
    expect(await submitGoal('Plan the garden', { ...flags, ...means }, submitted.io)).toBe(0);
    const id = submitted.out().trim();
    await shift();
    const { turn } = (await store.open(id)).session;
    const callId = turn.status === 'awaitingPermission' ? (turn.calls[0]?.call.id ?? '') : '';
    await sendSessionCommand(id, { what: 'allow', words: [callId] }, flags, captureIo().io);
    await shift();
    vi.unstubAllEnvs();
    model.close();
    await store.close();
    await redis.stop();
    const spans = collector.spans();
    expect(findTraceProblems(spans)).toEqual([]);
    expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    expect(spans.map(({ name }) => name)).toEqual([
      'chat m',
      'session',
      'wait for permission',
      'execute_tool write',
      'run hooks',
      'chat m',
      'invoke_agent pawl',
      'session resumed',
    ]);
  });
});
