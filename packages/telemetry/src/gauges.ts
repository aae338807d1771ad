import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter, ObservableResult } from '@opentelemetry/api';
import { turnChart, type TurnStatus } from '@pawl/core';
import { gauges, observedCounters } from './metrics.ts';
import { attribute, own } from './semconv.ts';

/** Where numbers come from that are not counted here; each is asked when somebody wants to know. */
export type Sources = {
  /** How many sessions stand where in the queues of workers. */
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

type Observed = { readonly states: () => Iterable<TurnStatus>; readonly sources: () => Sources };

/** A source that takes longer than this is left out this time. */
const sourceMs = 2_000;

/** Measures at the moment that somebody asks. Returns how to stop. */
export function observeGauges(meter: Meter, { states, sources }: Observed): () => void {
  const gauge = (
    key: keyof typeof gauges,
    observe: (result: ObservableResult) => void | Promise<void>,
  ): void => {
    const { name, unit, description } = gauges[key];
    meter.createObservableGauge(name, { unit, description }).addCallback(observe);
  };
  gauge('sessions', (result) => observeStates(result, states()));
  gauge('storedSessions', async (result) => {
    const stored = await inTime(sources().stored);
    if (stored !== null) observeStates(result, stored);
  });
  gauge('queue', async (result) => {
    for (const { tenant, ...depth } of (await inTime(sources().queue)) ?? [])
      for (const state of ['waiting', 'delayed', 'active', 'stalled'] as const)
        result.observe(depth[state], { [own.tenant]: tenant, [own.state]: state });
  });
  gauge('parked', async (result) => {
    const parked = await inTime(sources().parked);
    if (parked !== null) result.observe(parked);
  });
  gauge('memory', (result) => result.observe(process.memoryUsage.rss()));
  observeProcessor(meter);
  return observeLoop(gauge);
}

/** Those that a session can be found in; the others are only passed through. */
const statuses = turnChart.states.filter(({ kind }) => kind !== 'passing').map(({ name }) => name);

/** A state that no session is in is 0, so that its line in a plot goes down instead of ending. */
function observeStates(result: ObservableResult, found: Iterable<string>): void {
  const counts = new Map<string, number>(statuses.map((status) => [status, 0]));
  for (const state of found) counts.set(state, (counts.get(state) ?? 0) + 1);
  for (const [state, count] of counts) result.observe(count, { [own.state]: state });
}

function observeProcessor(meter: Meter): void {
  const { name, unit, description } = observedCounters.cpu;
  meter.createObservableCounter(name, { unit, description }).addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe(user / 1e6, { [attribute.cpuMode]: 'user' });
    result.observe(system / 1e6, { [attribute.cpuMode]: 'system' });
  });
}

/** Several may ask in turn, and each is to hear of the recent past: so what was measured is kept for a while. */
const windowMs = 30_000;

const resolutionMs = 20;

function observeLoop(
  gauge: (
    key: 'loopDelayMean' | 'loopDelayP99' | 'loopDelayMax',
    observe: (result: ObservableResult) => void,
  ) => void,
): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let since = performance.now();
  const observed = (nanoseconds: () => number) => (result: ObservableResult) => {
    // What is measured is the time between two looks; only what goes beyond the resolution is delay.
    const seconds = nanoseconds() / 1e9 - resolutionMs / 1_000;
    result.observe(Number.isFinite(seconds) ? Math.max(0, seconds) : 0);
  };
  gauge(
    'loopDelayMean',
    observed(() => delays.mean),
  );
  gauge(
    'loopDelayP99',
    observed(() => delays.percentile(99)),
  );
  gauge('loopDelayMax', (result) => {
    observed(() => delays.max)(result);
    if (performance.now() - since < windowMs) return;
    delays.reset();
    since = performance.now();
  });
  return () => void delays.disable();
}

/** Null where there is no such source, where it fails, and where it takes too long. */
async function inTime<Value>(source: (() => Promise<Value>) | undefined): Promise<Value | null> {
  if (source === undefined) return null;
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), sourceMs);
  try {
    return await Promise.race([source(), late.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
