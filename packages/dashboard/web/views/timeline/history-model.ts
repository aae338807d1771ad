import { distances, rulesFor, step, tokensOf, usageOf, type Distance, type Session } from '@pawl/core';
import type { Track } from '../../app/track.ts';

/** How something changed over a session: its value from the event at place `index[n]` on is `value[n]`. */
export type Course = { readonly index: readonly number[]; readonly value: readonly number[] };

type OpenCourse = { readonly index: number[]; readonly value: number[] };

/**
 * What can only be told from the state after each event: how near each rule was, how full memory was, what was used up.
 * It steps through the session once more, a slice at a time, so that a page stays quick however long the session is.
 */
export class History {
  readonly #track: Track;
  #session: Session;
  #taken = 0;
  readonly #rules = new Map<string, OpenCourse>();
  /** The nearest any rule was to what it would do next, from 0 to 1. */
  readonly nearest: Course = course();
  /** Of the limit from which on room is made. */
  readonly memory: Course = course();
  /** Of the model's window. */
  readonly window: Course = course();
  /** Read and written, added up. */
  readonly tokens: Course = course();
  #tokens = 0;

  constructor(track: Track) {
    this.#track = track;
    this.#session = track.created;
    this.#see(-1);
  }

  /** How many events it has taken in. */
  get taken(): number {
    return this.#taken;
  }

  get isDone(): boolean {
    return this.#taken >= this.#track.length;
  }

  /** The count of each rule that has ever seen anything. */
  get rules(): ReadonlyMap<string, Course> {
    return this.#rules;
  }

  /** The most that a rule ever saw. */
  peakOf(rule: string): number {
    return this.#peaks.get(rule) ?? 0;
  }
  readonly #peaks = new Map<string, number>();

  /** Takes in so many events more, or as many as there are. */
  advance(max: number): void {
    const until = Math.min(this.#track.length, this.#taken + max);
    for (; this.#taken < until; this.#taken += 1) {
      const { event } = this.#track.entry(this.#taken);
      const before = this.#session;
      this.#session = step(before, event).session;
      const usage = usageOf(event);
      if (usage !== undefined) this.#tokens += finite(usage.inputTokens) + finite(usage.outputTokens);
      this.#see(this.#taken, before);
    }
  }

  #see(index: number, before?: Session): void {
    const { governor, memory, window, settings } = this.#session;
    note(this.tokens, index, this.#tokens);
    if (memory !== null && memory !== before?.memory) {
      note(this.memory, index, shareOf(tokensOf(memory), memoryMax(memory.settings)));
    }
    if (window !== null && window !== before?.window && settings.windowTokens !== null) {
      note(this.window, index, shareOf(window.tokens, settings.windowTokens));
    }
    if (governor.watch === before?.governor.watch) return;
    const seen = distances(governor.watch, rulesFor(settings.governor));
    for (const { rule, count } of seen) this.#seeRule(rule, index, count);
    note(this.nearest, index, Math.max(0, ...seen.map(nearness)));
  }

  #seeRule(rule: string, index: number, count: number): void {
    if (count > this.peakOf(rule)) this.#peaks.set(rule, count);
    const known = this.#rules.get(rule);
    if (known !== undefined) note(known, index, count);
    else if (count > 0) this.#rules.set(rule, { index: [index], value: [count] });
  }
}

const histories = new WeakMap<Track, History>();

/** The one history of a track, however many views look at it. */
export function historyOf(track: Track): History {
  const known = histories.get(track) ?? new History(track);
  histories.set(track, known);
  return known;
}

/** From 0, saw nothing, to 1, has nothing left to do. One sighting is no pattern yet. */
export function nearness({ count, next }: Distance): number {
  if (count <= 1) return 0;
  return next === null ? 1 : shareOf(count, next.at);
}

/** From the paging limit on room is made; where it is off, the hard limit is the limit. */
export function memoryMax({ pagingLimit, hardLimit }: NonNullable<Session['memory']>['settings']): number {
  return pagingLimit.enable ? pagingLimit.maxTokens : hardLimit.maxTokens;
}

/** The value a course has at a place; 0 before its first. */
export function valueOn({ index, value }: Course, place: number): number {
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((index[middle] ?? Infinity) <= place) low = middle + 1;
    else high = middle;
  }
  return value[low - 1] ?? 0;
}

/**
 * A course as places and values for a plot, with no more than `max` of them: of those that fall together the highest is
 * kept, since it is peaks that people look for.
 */
export function thinned({ index, value }: Course, from: number, to: number, max: number): Course {
  const kept = course();
  const size = Math.max(1, (to - from) / max);
  for (let place = 0; place < index.length; place += 1) {
    const at = index[place] ?? 0;
    const here = value[place] ?? 0;
    if (at < from || at > to) continue;
    const last = kept.index.length - 1;
    const isSame =
      last >= 0 && Math.floor((at - from) / size) === Math.floor(((kept.index[last] ?? 0) - from) / size);
    if (!isSame) {
      kept.index.push(at);
      kept.value.push(here);
    } else if (here > (kept.value[last] ?? 0)) kept.value[last] = here;
  }
  return kept;
}

function course(): OpenCourse {
  return { index: [], value: [] };
}

function note(to: Course, index: number, value: number): void {
  if (to.value.at(-1) === value) return;
  // The class hands its courses out for reading; here they are written.
  const open = to as OpenCourse;
  open.index.push(index);
  open.value.push(value);
}

function shareOf(used: number, max: number): number {
  return max > 0 ? used / max : 1;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
