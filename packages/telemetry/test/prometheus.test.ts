import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createTelemetry, serveMetrics, type TelemetryClient } from '../src/index.ts';
import {
  counterDefinitions,
  gaugeDefinitions,
  histogramDefinitions,
  observedCounterDefinitions,
} from '../src/metric-definitions.ts';
import { startTestCollector } from './collector.ts';
import { lintMetricNames, parseExposition, sumSamples, type MetricFamily } from './exposition.ts';
import { checkWithPromtool } from './promtool.ts';
import {
  startObserved,
  resumeObserved,
  exerciseAllMetrics,
  exerciseOddNames,
  lookTool,
  createLookReply,
  createPricedModel,
} from './observed-worker.ts';

let telemetry: TelemetryClient;

afterEach(() => telemetry.shutdown());

async function scrapeMetrics(): Promise<ReadonlyMap<string, MetricFamily>> {
  return parseExposition(await telemetry.prometheus());
}

const toDepth = (tenant: string) => ({ tenant, waiting: 1, delayed: 0, active: 0, stalled: 0 });

describe('metrics for Prometheus', () => {
  it('have the exposition format and follow the session [NEX-125]', async () => {
    const collector = await startTestCollector();
    telemetry = createTelemetry({
      metrics: { prometheus: true, otlp: { url: collector.url, everyMs: 60_000 } },
    });
    const before = await scrapeMetrics();
    expect(sumSamples(before, 'pawl_cost_total')).toBe(0);
    expect(sumSamples(before, 'gen_ai_client_operation_duration_count')).toBe(0);
    const { agent, detach } = await startObserved(
      telemetry,
      { id: 'roof', settings: { retryBaseMs: 5, mutatingTools: ['look'] } },
      {
        model: createPricedModel([
          { failure: { kind: 'context-overflow', message: 'full' } },
          { failure: { kind: 'overloaded', message: 'later' } },
          createLookReply('roof'),
          createLookReply('nowhere'),
          { text: 'Mended.' },
        ]),
        rules: ({ id }) => (id === 'look-roof' ? 'ask' : 'allow'),
        decide: () => sleep(20, { decision: 'allow' as const }),
        page: async () => ({ freedTokens: 400 }),
      },
    );
    await agent.sendMessage('Mend it');
    await agent.waitUntilIdle();
    const after = await scrapeMetrics();
    const named = { gen_ai_provider_name: 'anthropic', gen_ai_request_model: 'big-model' };
    expect(sumSamples(after, 'pawl_tokens_total', { ...named, gen_ai_token_type: 'input' })).toBe(300);
    expect(sumSamples(after, 'pawl_tokens_total', { ...named, gen_ai_token_type: 'output' })).toBe(21);
    expect(sumSamples(after, 'pawl_cost_total', named)).toBe(0.75);
    expect(sumSamples(after, 'gen_ai_client_operation_duration_count', named)).toBe(5);
    expect(sumSamples(after, 'gen_ai_client_operation_duration_count', { error_type: 'overloaded' })).toBe(1);
    expect(sumSamples(after, 'gen_ai_execute_tool_duration_count', { gen_ai_tool_name: 'look' })).toBe(2);
    expect(sumSamples(after, 'gen_ai_execute_tool_duration_count', { error_type: 'failed' })).toBe(1);
    expect(sumSamples(after, 'pawl_permission_wait_sum', { pawl_decision: 'allow' })).toBeGreaterThan(0.015);
    expect(sumSamples(after, 'pawl_hooks_duration_count')).toBe(1);
    expect(sumSamples(after, 'pawl_retries_total', { pawl_of: 'model', error_type: 'overloaded' })).toBe(1);
    expect(sumSamples(after, 'pawl_paging_runs_total', { pawl_outcome: 'done' })).toBe(1);
    expect(sumSamples(after, 'pawl_paging_freed_tokens_total')).toBe(400);
    expect(sumSamples(after, 'gen_ai_invoke_agent_duration_count', { pawl_ending: 'answered' })).toBe(1);
    const transition = { pawl_machine: 'turn', pawl_from: 'waitingForUser', pawl_to: 'callingModel' };
    expect(sumSamples(after, 'pawl_transitions_total', transition)).toBe(1);
    expect(sumSamples(after, 'pawl_sessions', { pawl_state: 'waitingForUser' })).toBe(1);
    expect(sumSamples(after, 'process_cpu_time_total')).toBeGreaterThan(0);
    expect(sumSamples(after, 'process_memory_usage')).toBeGreaterThan(1e6);
    expect(after.has('nodejs_eventloop_delay_p99')).toBe(true);
    await detach();
    expect(sumSamples(await scrapeMetrics(), 'pawl_sessions')).toBe(0);
    await telemetry.shutdown();
    // The same metrics are pushed.
    expect(collector.metrics().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pawl.tokens', 'gen_ai.execute_tool.duration', 'process.cpu.time']),
    );
    await collector.close();
  });

  it('count verdicts by rule and by the outcome of the response', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    const again = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => createLookReply('nowhere', id));
    const { agent, detach } = await startObserved(
      telemetry,
      { id: 'roof' },
      { model: createPricedModel([...again, { text: 'No.' }]) },
    );
    await agent.sendMessage('Look for it');
    await agent.waitUntilIdle();
    await detach();
    const metrics = await scrapeMetrics();
    const all = sumSamples(metrics, 'pawl_verdicts_total');
    expect(all).toBeGreaterThanOrEqual(2);
    expect(
      sumSamples(metrics, 'pawl_verdicts_total', { pawl_verdict_rule: 'repeated-failure' }),
    ).toBeGreaterThan(0);
    // Each verdict has one outcome.
    expect(sumSamples(metrics, 'pawl_verdict_outcomes_total')).toBe(all);
    expect(sumSamples(metrics, 'pawl_verdict_outcomes_total', { pawl_outcome: 'repeated' })).toBeGreaterThan(
      0,
    );
    const labels = metrics
      .get('pawl_verdict_outcomes_total')
      ?.samples.map((sample) => Object.keys(sample.labels));
    expect(labels?.[0]).toEqual(['pawl_verdict_rule', 'pawl_verdict_response', 'pawl_outcome']);
  });

  it('do not time cancelled operations', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    const worker = await startObserved(
      telemetry,
      { id: 'roof' },
      {
        model: createPricedModel([createLookReply('roof')]),
        tools: [
          {
            ...lookTool,
            run: (_, { signal }) =>
              new Promise((resolve) => {
                const cancelled = {
                  ok: false,
                  error: { kind: 'cancelled', message: 'Called off.' },
                } as const;
                signal.addEventListener('abort', () => resolve(cancelled), { once: true });
                void worker.agent.post({ type: 'cancel-requested' });
              }),
          },
        ],
      },
    );
    await worker.agent.sendMessage('Look');
    await worker.agent.waitUntilIdle();
    await worker.detach();
    const metrics = await scrapeMetrics();
    expect(sumSamples(metrics, 'gen_ai_execute_tool_duration_count')).toBe(0);
    expect(sumSamples(metrics, 'gen_ai_invoke_agent_duration_count', { pawl_ending: 'cancelled' })).toBe(1);
  });

  it('report the outcome left when the session is released', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    const reached = Promise.withResolvers<void>();
    const model = createPricedModel(['a', 'b', 'c', 'd'].map((id) => createLookReply('nowhere', id)));
    const { agent, detach } = await startObserved(
      telemetry,
      { id: 'roof' },
      {
        model: {
          name: 'slow',
          async *stream(request, signal) {
            if (request.advice !== null) {
              reached.resolve();
              await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
              return;
            }
            yield* model.stream(request, signal);
          },
        },
      },
    );
    await agent.sendMessage('Look for it');
    await reached.promise;
    await detach();
    expect(sumSamples(await scrapeMetrics(), 'pawl_verdict_outcomes_total', { pawl_outcome: 'left' })).toBe(
      1,
    );
  });

  it('have only defined metric names', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    telemetry.ask({
      queue: async () => [{ tenant: 'web', waiting: 3, delayed: 2, active: 1, stalled: 1 }],
      parked: async () => 4,
      stored: async () => ['halted', 'waitingForUser', 'halted'],
    });
    for (const kind of ['taken', 'lost', 'lost', 'parked']) telemetry.report({ kind });
    const metrics = await scrapeMetrics();
    expect(sumSamples(metrics, 'pawl_queue_sessions', { pawl_tenant: 'web', pawl_state: 'waiting' })).toBe(3);
    expect(sumSamples(metrics, 'pawl_queue_sessions', { pawl_tenant: 'web', pawl_state: 'stalled' })).toBe(1);
    expect(sumSamples(metrics, 'pawl_queue_parked')).toBe(4);
    expect(sumSamples(metrics, 'pawl_stored_sessions', { pawl_state: 'halted' })).toBe(2);
    expect(sumSamples(metrics, 'pawl_lease_losses_total')).toBe(2);
    expect(sumSamples(metrics, 'pawl_worker_reports_total', { pawl_report: 'parked' })).toBe(1);
    const known = [counterDefinitions, histogramDefinitions, gaugeDefinitions, observedCounterDefinitions]
      .flatMap((kind) => Object.values(kind))
      .map(({ name }) => name.replaceAll('.', '_'));
    const names = [...metrics.keys()].map((name) => name.replace(/_total$/, ''));
    expect(names.filter((name) => !known.includes(name))).toEqual(['target_info']);
  });

  it('follow the naming conventions of Prometheus, whatever the sessions do', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    expect(lintMetricNames(await scrapeMetrics())).toEqual([]);
    await exerciseAllMetrics(telemetry);
    await exerciseOddNames(telemetry);
    expect(lintMetricNames(await scrapeMetrics())).toEqual([]);
  });

  it('pass promtool check metrics, whatever the sessions do', { tags: ['promtool'] }, async () => {
    telemetry = createTelemetry({ serviceName: 'a "quoted"\n\\name', metrics: { prometheus: true } });
    expect(checkWithPromtool(await telemetry.prometheus())).toBe('');
    await exerciseAllMetrics(telemetry);
    await exerciseOddNames(telemetry);
    expect(checkWithPromtool(await telemetry.prometheus())).toBe('');
    // It complains where there is a reason to.
    expect(checkWithPromtool('a_milliseconds 1\n')).toContain('no help text');
  });

  it('omit only a source that fails or times out', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    telemetry.ask({
      queue: () => Promise.reject(new Error('Redis is gone')),
      parked: () => new Promise(() => undefined),
    });
    const metrics = await scrapeMetrics();
    expect(metrics.has('pawl_queue_parked')).toBe(false);
    expect(metrics.has('pawl_queue_sessions')).toBe(false);
    expect(metrics.has('pawl_stored_sessions')).toBe(false);
    expect(metrics.has('pawl_sessions')).toBe(true);
  });

  it('omit what a source no longer reports', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    let tenants: readonly string[] | null = ['web', 'mail'];
    telemetry.ask({
      queue: async () => tenants?.map(toDepth) ?? Promise.reject(new Error('Redis is gone')),
      parked: async () => tenants?.length ?? Promise.reject(new Error('Redis is gone')),
    });
    const listTenants = async () =>
      (await scrapeMetrics())
        .get('pawl_queue_sessions')
        ?.samples.flatMap(({ labels, value }) => (value === 1 ? [labels['pawl_tenant']] : []));
    expect(await listTenants()).toEqual(['web', 'mail']);
    tenants = ['mail'];
    expect(await listTenants()).toEqual(['mail']);
    tenants = null;
    expect(await listTenants()).toBeUndefined();
    const metrics = await scrapeMetrics();
    expect(metrics.has('pawl_queue_parked')).toBe(false);
    expect(metrics.has('process_memory_usage')).toBe(true);
    // Counters keep what they counted.
    expect(sumSamples(metrics, 'process_cpu_time_total')).toBeGreaterThan(0);
  });

  it('stay valid and bounded for any tool names', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    const odd = ['"} 1\nevil 2', '__proto__', '\ud800', 'x'.repeat(50_000), '\\', 'a\nb'];
    const names = [...odd, ...Array.from({ length: 300 }, (_, number) => `made-up-${number}`)];
    const calls = names.map((tool, at) => ({ id: `call-${at}`, tool, args: {} }));
    const model = createPricedModel([{ calls }, { text: 'Done.' }], 'evil:"}\n\\');
    const { agent, detach } = await startObserved(
      telemetry,
      { id: 'roof', settings: { governor: { preset: 'none', rules: {} } } },
      { model },
    );
    await agent.sendMessage('Go');
    await agent.waitUntilIdle();
    await detach();
    const metrics = await scrapeMetrics();
    const labels = (metrics.get('gen_ai_execute_tool_duration')?.samples ?? []).map(
      (sample) => sample.labels['gen_ai_tool_name'] ?? '',
    );
    expect(sumSamples(metrics, 'gen_ai_execute_tool_duration_count')).toBe(names.length);
    expect(new Set(labels).size).toBe(201);
    expect(Math.max(...labels.map((label) => label.length))).toBeLessThanOrEqual(100);
  });

  it('are disabled by default', async () => {
    telemetry = createTelemetry({});
    await expect(telemetry.prometheus()).rejects.toThrow('metrics: { prometheus: true }');
    const { agent, detach } = await startObserved(
      telemetry,
      { id: 'roof' },
      { model: createPricedModel([{ text: 'Yes.' }]) },
    );
    await agent.sendMessage('Well?');
    await agent.waitUntilIdle();
    await detach();
  });
});

describe('a resumed session', () => {
  it('is timed from its resume', async () => {
    let time = 1_000_000;
    const clock = {
      now: () => (time += 1),
      sleepUntil: async (at: number) => void (time = Math.max(time, at)),
    };
    telemetry = createTelemetry({ metrics: { prometheus: true }, now: clock.now });
    const hung = {
      name: 'hung',
      async *stream(_: unknown, signal: AbortSignal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        yield* [];
      },
    };
    const one = await startObserved(telemetry, { id: 'roof' }, { model: hung, clock });
    await one.agent.sendMessage('Well?');
    await one.detach();
    time += 300;
    const two = await resumeObserved(telemetry, one.store, 'roof', {
      model: createPricedModel([{ text: 'Yes.' }]),
      clock,
    });
    await two.agent.resume();
    await two.agent.waitUntilIdle();
    await two.detach();
    const metrics = await scrapeMetrics();
    expect(sumSamples(metrics, 'gen_ai_client_operation_duration_count')).toBe(1);
    expect(sumSamples(metrics, 'gen_ai_client_operation_duration_sum')).toBeLessThan(0.25);
    expect(sumSamples(metrics, 'gen_ai_invoke_agent_duration_sum')).toBeGreaterThanOrEqual(0.3);
  });
});

describe('the metrics server', () => {
  it('serves only /metrics, on the loopback interface', async () => {
    telemetry = createTelemetry({ metrics: { prometheus: true } });
    const server = await serveMetrics(0, () => telemetry.prometheus());
    const at = (path: string, init?: RequestInit): Promise<Response> =>
      fetch(`http://127.0.0.1:${server.port}${path}`, init);
    const served = await at('/metrics');
    expect(served.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(parseExposition(await served.text()).has('pawl_sessions')).toBe(true);
    expect((await at('/metrics?x=1')).status).toBe(200);
    expect((await at('/')).status).toBe(404);
    expect((await at('/metrics', { method: 'POST' })).status).toBe(405);
    await server.close();
    await expect(at('/metrics')).rejects.toThrow();
  });

  it('responds with an error if metrics cannot be read', async () => {
    telemetry = createTelemetry({});
    const server = await serveMetrics(0, () => telemetry.prometheus());
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('prometheus: true')]);
    await server.close();
  });
});
