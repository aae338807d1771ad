import { step, type Session } from '@pawl/core';
import { countMemoryTokens } from '@pawl/core/memory';
import { countTotalTokens } from '@pawl/core/projections';
import { computeRuleDistances, type RuleDistance } from '@pawl/governor';
import { selectRules } from '@pawl/governor/rules';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { getMemoryLimit } from '../../../../core/src/memory/settings.ts';

/** A step function over a session: from event index `index[n]` on, the value is `value[n]`. */
export type ValueSeries = { readonly index: readonly number[]; readonly value: readonly number[] };

type MutableValueSeries = { readonly index: number[]; readonly value: number[] };

/**
 * History of values that only the state after each event provides: rule proximity, memory usage and context window
 * usage. It replays the session once more in slices, so that the page stays responsive for long sessions.
 */
export class StateHistory {
  readonly #timeline: ReplayedTimeline;
  #session: Session;
  #processed = 0;
  readonly #rules = new Map<string, MutableValueSeries>();
  /** Proximity of the closest rule to its next threshold, from 0 to 1. */
  readonly nearest: ValueSeries = createValueSeries();
  /** Share of the paging limit. */
  readonly memory: ValueSeries = createValueSeries();
  /** Share of the model's context window. */
  readonly window: ValueSeries = createValueSeries();
  /** Total of input and output tokens. */
  readonly tokens: ValueSeries = createValueSeries();
  #tokens = 0;

  constructor(timeline: ReplayedTimeline) {
    this.#timeline = timeline;
    this.#session = timeline.created;
    this.#record(-1);
  }

  /** Number of events processed. */
  get processed(): number {
    return this.#processed;
  }

  get isDone(): boolean {
    return this.#processed >= this.#timeline.length;
  }

  /** Match count of each rule that ever matched. */
  get rules(): ReadonlyMap<string, ValueSeries> {
    return this.#rules;
  }

  /** Returns the highest match count of a rule. */
  getPeak(rule: string): number {
    return this.#peaks.get(rule) ?? 0;
  }
  readonly #peaks = new Map<string, number>();

  /** Processes at most `max` further events. */
  advance(max: number): void {
    const until = Math.min(this.#timeline.length, this.#processed + max);
    for (; this.#processed < until; this.#processed += 1) {
      const { event, totals } = this.#timeline.entry(this.#processed);
      const before = this.#session;
      this.#session = step(before, event).session;
      this.#tokens = countTotalTokens(totals);
      this.#record(this.#processed, before);
    }
  }

  #record(index: number, before?: Session): void {
    const { governor, memory, window, settings } = this.#session;
    appendValue(this.tokens, index, this.#tokens);
    if (memory !== null && memory !== before?.memory) {
      appendValue(
        this.memory,
        index,
        computeShare(countMemoryTokens(memory), getMemoryLimit(memory.settings)),
      );
    }
    if (window !== null && window !== before?.window && settings.windowTokens !== null) {
      appendValue(this.window, index, computeShare(window.tokens, settings.windowTokens));
    }
    if (governor.detector === before?.governor.detector) return;
    const distances = computeRuleDistances(governor.detector, selectRules(settings.governor));
    for (const { rule, count } of distances) this.#recordRule(rule, index, count);
    appendValue(this.nearest, index, Math.max(0, ...distances.map(computeNearness)));
  }

  #recordRule(rule: string, index: number, count: number): void {
    if (count > this.getPeak(rule)) this.#peaks.set(rule, count);
    const series = this.#rules.get(rule);
    if (series !== undefined) appendValue(series, index, count);
    else if (count > 0) this.#rules.set(rule, { index: [index], value: [count] });
  }
}

const historyCache = new WeakMap<ReplayedTimeline, StateHistory>();

/** Returns the history of a timeline, shared by all views. */
export function getStateHistory(timeline: ReplayedTimeline): StateHistory {
  const series = historyCache.get(timeline) ?? new StateHistory(timeline);
  historyCache.set(timeline, series);
  return series;
}

/** From 0 (no matches) to 1 (no higher threshold left). A single match is not a pattern yet and counts as 0. */
export function computeNearness({ count, next }: RuleDistance): number {
  if (count <= 1) return 0;
  return next === null ? 1 : computeShare(count, next.at);
}

/** Returns the value of a series at an index; 0 before its first value. */
export function getSeriesValue({ index, value }: ValueSeries, position: number): number {
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((index[middle] ?? Infinity) <= position) low = middle + 1;
    else high = middle;
  }
  return value[low - 1] ?? 0;
}

/** Reduces a series to at most `max` points for a plot. Each interval keeps its peak, so that peaks stay visible. */
export function downsampleSeries(
  { index, value }: ValueSeries,
  from: number,
  to: number,
  max: number,
): ValueSeries {
  const sampled = createValueSeries();
  const size = Math.max(1, (to - from) / max);
  for (let position = 0; position < index.length; position += 1) {
    const at = index[position] ?? 0;
    const current = value[position] ?? 0;
    if (at < from || at > to) continue;
    const last = sampled.index.length - 1;
    const isSame =
      last >= 0 && Math.floor((at - from) / size) === Math.floor(((sampled.index[last] ?? 0) - from) / size);
    if (!isSame) {
      sampled.index.push(at);
      sampled.value.push(current);
    } else if (current > (sampled.value[last] ?? 0)) sampled.value[last] = current;
  }
  return sampled;
}

function createValueSeries(): MutableValueSeries {
  return { index: [], value: [] };
}

function appendValue(series: ValueSeries, index: number, value: number): void {
  if (series.value.at(-1) === value) return;
  // The class exposes its series as read-only; only this function appends to them.
  const mutable = series as MutableValueSeries;
  mutable.index.push(index);
  mutable.value.push(value);
}

function computeShare(used: number, max: number): number {
  return max > 0 ? used / max : 1;
}

/** Above this share, the context window has no room left for the reply; same value as in the core. */
export const fullWindowShare = 0.9;
