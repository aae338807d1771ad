import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter, ObservableResult } from '@opentelemetry/api';
import type { TurnStatus } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { gaugeDefinitions, observedCounterDefinitions } from './metric-definitions.ts';
import { otelAttributes, pawlAttributes } from './semconv.ts';

/** Sources of values that are not counted in this process; each is read when metrics are collected. */
export type GaugeSources = {
  /** The number of sessions by state in the worker queues. */
  readonly queue?: () => Promise<readonly QueueDepth[]>;
  readonly parked?: () => Promise<number>;
  /** The states of the sessions in a store. */
  readonly stored?: () => Promise<readonly string[]>;
};

export type QueueDepth = {
  readonly tenant: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly stalled: number;
};

type GaugeContext = { readonly states: () => Iterable<TurnStatus>; readonly sources: () => GaugeSources };

/** A source that takes longer than this is skipped in this collection. */
const sourceTimeoutMs = 2_000;

/** Registers gauges that are measured at collection time. Returns a function that stops them. */
export function observeGauges(meter: Meter, { states, sources }: GaugeContext): () => void {
  const gauge = (
    key: keyof typeof gaugeDefinitions,
    observe: (result: ObservableResult) => void | Promise<void>,
  ): void => {
    const { name, unit, description } = gaugeDefinitions[key];
    meter.createObservableGauge(name, { unit, description }).addCallback(observe);
  };
  gauge('sessions', (result) => observeStates(result, states()));
  gauge('storedSessions', async (result) => {
    const stored = await readWithTimeout(sources().stored);
    if (stored !== null) observeStates(result, stored);
  });
  gauge('queue', async (result) => {
    for (const { tenant, ...depth } of (await readWithTimeout(sources().queue)) ?? [])
      for (const state of ['waiting', 'delayed', 'active', 'stalled'] as const)
        result.observe(depth[state], { [pawlAttributes.tenant]: tenant, [pawlAttributes.state]: state });
  });
  gauge('parked', async (result) => {
    const parked = await readWithTimeout(sources().parked);
    if (parked !== null) result.observe(parked);
  });
  gauge('memory', (result) => result.observe(process.memoryUsage.rss()));
  observeCpuTime(meter);
  return observeLoopDelay(gauge);
}

/** The states in which a session can rest; the others are transient. */
const restingStatuses = turnChart.states.filter(({ kind }) => kind !== 'passing').map(({ name }) => name);

/** Reports 0 for a state without sessions, so that its series drops instead of ending. */
function observeStates(result: ObservableResult, states: Iterable<string>): void {
  const counts = new Map<string, number>(restingStatuses.map((status) => [status, 0]));
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  for (const [state, count] of counts) result.observe(count, { [pawlAttributes.state]: state });
}

function observeCpuTime(meter: Meter): void {
  const { name, unit, description } = observedCounterDefinitions.cpu;
  meter.createObservableCounter(name, { unit, description }).addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe(user / 1e6, { [otelAttributes.cpuMode]: 'user' });
    result.observe(system / 1e6, { [otelAttributes.cpuMode]: 'system' });
  });
}

/**
 * Several readers may collect in turn, and each needs recent values, so the histogram covers a window of this length.
 */
const windowMs = 30_000;

const resolutionMs = 20;

function observeLoopDelay(
  gauge: (
    key: 'loopDelayMean' | 'loopDelayP99' | 'loopDelayMax',
    observe: (result: ObservableResult) => void,
  ) => void,
): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let since = performance.now();
  const createDelayCallback = (nanoseconds: () => number) => (result: ObservableResult) => {
    // The histogram measures the interval between two samples; only the part beyond the resolution is delay.
    const seconds = nanoseconds() / 1e9 - resolutionMs / 1_000;
    result.observe(Number.isFinite(seconds) ? Math.max(0, seconds) : 0);
  };
  gauge(
    'loopDelayMean',
    createDelayCallback(() => delays.mean),
  );
  gauge(
    'loopDelayP99',
    createDelayCallback(() => delays.percentile(99)),
  );
  gauge('loopDelayMax', (result) => {
    createDelayCallback(() => delays.max)(result);
    if (performance.now() - since < windowMs) return;
    delays.reset();
    since = performance.now();
  });
  return () => void delays.disable();
}

/** Returns null if the source is missing, fails or times out. */
async function readWithTimeout<Value>(source: (() => Promise<Value>) | undefined): Promise<Value | null> {
  if (source === undefined) return null;
  const timeout = Promise.withResolvers<null>();
  const timer = setTimeout(() => timeout.resolve(null), sourceTimeoutMs);
  try {
    return await Promise.race([source(), timeout.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
