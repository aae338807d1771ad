import type { Session, Verdict } from '@pawl/core';
import type {
  EndedSpan,
  SessionSpan,
  SpanKind,
  SpanResult,
  TranscriptItem,
  TranscriptItemOfKind,
} from '@pawl/core/projections';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { createIncrementalFold } from '../../app/incremental-fold.ts';
import { formatLocalClock, formatElapsedTime } from '../../app/format.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import type { ColorTone } from '../../app/tones.ts';

/** A moment of a session: an event, its time and its index. Times never decrease. */
export type TimelineMoment = { readonly seq: number; readonly at: number; readonly index: number };

/** A period of work or waiting. An open span has no end. */
export type TimelineSpan = {
  readonly kind: SpanKind;
  readonly from: TimelineMoment;
  readonly to: TimelineMoment | null;
  readonly label: string;
  /** Attempt number of a model call or a retry. */
  readonly attempt: number | null;
  /** When the next attempt is due. */
  readonly dueAt: number | null;
  readonly outcome: 'ok' | 'failed' | 'cancelled' | null;
};

/** A row of spans in order, without overlaps. */
export type TimelineRow = {
  readonly id: string;
  readonly label: string;
  readonly spans: readonly TimelineSpan[];
};

export type TimelineVerdict = TimelineMoment & { readonly verdict: Verdict };

/** A phase or mode that spans a period of work. */
export type TimelineBand = {
  readonly from: TimelineMoment;
  readonly to: TimelineMoment | null;
  readonly label: string;
  readonly success: boolean | null;
};

type OpenSpan = { -readonly [Key in keyof TimelineSpan]: TimelineSpan[Key] };
type MutableBand = { -readonly [Key in keyof TimelineBand]: TimelineBand[Key] };

/** Concurrent calls beyond this number share the last row. */
const toolRowsMax = 8;

/** The spans, bands and marks of a session, built event by event. */
export class SpanTimeline {
  readonly #rows = new Map<string, OpenSpan[]>();
  readonly verdicts: TimelineVerdict[] = [];
  readonly userMessages: TimelineMoment[] = [];
  readonly phases: TimelineBand[] = [];
  readonly modes: TimelineBand[] = [];
  /** The open spans by key, except waits for people. */
  readonly #open = new Map<string, OpenSpan>();
  /** The open waits for people by key; the row shows one of them. */
  readonly #peopleWaits = new Map<string, SessionSpan>();
  #shownWait: { readonly id: string; readonly span: OpenSpan } | null = null;
  /** When the current round of tool calls was requested. */
  #round: TimelineMoment | null = null;
  #phase: (MutableBand & { readonly number: number }) | null = null;
  #mode: MutableBand | null = null;
  #last: TimelineMoment;

  constructor({ seq, turn, mode }: Session) {
    this.#last = { seq, at: toFiniteTime(turn.since, 0), index: -1 };
    if (mode !== null) this.#mode = this.#addBand(this.modes, this.#last, mode.state);
  }

  /** The moment of the last event. */
  get end(): TimelineMoment {
    return this.#last;
  }

  get start(): TimelineMoment | null {
    return this.#start;
  }
  #start: TimelineMoment | null = null;

  /** The rows in display order: people, model, tools, hooks, retries, memory. */
  get rows(): readonly TimelineRow[] {
    return [...this.#rows]
      .map(([id, spans]) => ({ id, label: getRowLabel(id), spans }))
      .toSorted((one, other) => getRowOrder(one.id) - getRowOrder(other.id));
  }

  add({ seq, event, actions, items, spans }: ReplayedEntry, index: number): void {
    const now: TimelineMoment = {
      seq,
      index,
      at: Math.max(this.#last.at, toFiniteTime(event.at, this.#last.at)),
    };
    // The timeline starts at the first event; the time before it is not a wait.
    if (this.#start === null) this.#start = now;
    this.#last = now;
    for (const ended of spans.ended) this.#endSpan(ended, items, now);
    for (const item of items) this.#addItem(item, now);
    if (!spans.ended.some(({ span }) => span.kind === 'tool')) this.#addUnstartedCalls(items, now);
    for (const span of spans.started) this.#startSpan(span, now);
    this.#showPeopleWait(now);
    if (actions.some(({ type }) => type === 'run-tools' || type === 'ask-permission')) this.#round = now;
  }

  #addItem(item: TranscriptItem, now: TimelineMoment): void {
    switch (item.kind) {
      case 'message':
        this.userMessages.push(now);
        return;
      case 'verdict':
        this.verdicts.push({ ...now, verdict: item.verdict });
        return;
      case 'phase-start':
        this.#startPhase(item, now);
        return;
      case 'phase-end':
        this.#endPhase(now, item.success);
        return;
      case 'mode':
        if (item.from === item.to) return;
        if (this.#mode !== null) this.#mode.to = now;
        this.#mode = this.#addBand(this.modes, now, item.to);
        return;
      default:
    }
  }

  #startSpan(span: SessionSpan, now: TimelineMoment): void {
    if (isPeopleWait(span)) this.#peopleWaits.set(span.key, span);
    else {
      const row = span.kind === 'tool' ? this.#findFreeToolRow(now) : rowByKind[span.kind];
      this.#open.set(span.key, this.#openSpan(row, { kind: span.kind, from: now, ...describeSpan(span) }));
    }
  }

  #endSpan({ span, result }: EndedSpan, items: readonly TranscriptItem[], now: TimelineMoment): void {
    this.#peopleWaits.delete(span.key);
    const open = this.#open.get(span.key);
    if (open === undefined) return;
    this.#open.delete(span.key);
    const isUnreadable = items.some((item) => item.kind === 'reply' && item.problem !== undefined);
    endSpan(open, now, span.kind === 'model' && isUnreadable ? 'failed' : outcomeByResult[result.kind]);
  }

  /** Runs recorded by other agents may contain only the end of a call. */
  #addUnstartedCalls(items: readonly TranscriptItem[], now: TimelineMoment): void {
    for (const item of items) {
      if (item.kind !== 'tool-result' || item.call === null || this.#round === null) continue;
      const row = this.#findFreeToolRow(this.#round);
      const span = this.#openSpan(row, { kind: 'tool', from: this.#round, label: item.call.tool });
      endSpan(span, now, item.outcome.ok ? 'ok' : 'failed');
    }
  }

  /** A pause covers what it holds, and the calls of one round wait for permission together. */
  #showPeopleWait(now: TimelineMoment): void {
    const waits = [...this.#peopleWaits.values()];
    const wait = waits.find(({ kind }) => kind === 'pause') ?? waits[0];
    const id = wait?.kind === 'permission' ? `permission ${wait.request}` : wait?.key;
    if (id === this.#shownWait?.id) return;
    if (this.#shownWait !== null) endSpan(this.#shownWait.span, now, 'ok');
    this.#shownWait =
      wait === undefined || id === undefined
        ? null
        : {
            id,
            span: this.#openSpan('people', { kind: wait.kind, from: now, ...describeSpan(wait) }),
          };
  }

  /** Returns a row without a running span since that moment. */
  #findFreeToolRow(from: TimelineMoment): string {
    for (let row = 1; row < toolRowsMax; row += 1) {
      const last = this.#rows.get(`tool ${row}`)?.at(-1);
      const isFree = last === undefined || (last.to !== null && last.to.index <= from.index);
      if (isFree) return `tool ${row}`;
    }
    return `tool ${toolRowsMax}`;
  }

  #openSpan(
    row: string,
    fields: Pick<TimelineSpan, 'kind' | 'from' | 'label'> & Partial<TimelineSpan>,
  ): OpenSpan {
    const span: OpenSpan = { to: null, attempt: null, dueAt: null, outcome: null, ...fields };
    const spans = this.#rows.get(row);
    if (spans === undefined) this.#rows.set(row, [span]);
    else spans.push(span);
    return span;
  }

  #startPhase({ number, description }: TranscriptItemOfKind<'phase-start'>, now: TimelineMoment): void {
    const label = `${number}: ${description}`;
    if (this.#phase?.number === number) {
      this.#phase.label = label;
      return;
    }
    this.#endPhase(now, true);
    this.#phase = Object.assign(this.#addBand(this.phases, now, label), { number });
  }

  #endPhase(now: TimelineMoment, success: boolean): void {
    if (this.#phase === null) return;
    this.#phase.to = now;
    this.#phase.success = success;
    this.#phase = null;
  }

  #addBand(list: TimelineBand[], from: TimelineMoment, label: string): MutableBand {
    const band: MutableBand = { from, to: null, label, success: null };
    list.push(band);
    return band;
  }
}

export const getSpanTimeline: (timeline: ReplayedTimeline) => SpanTimeline = createIncrementalFold(
  ({ created }) => new SpanTimeline(created),
);

function endSpan(span: OpenSpan, now: TimelineMoment, ending: NonNullable<TimelineSpan['outcome']>): void {
  span.to = now;
  span.outcome = ending;
}

const outcomeByResult: { readonly [Kind in SpanResult['kind']]: NonNullable<TimelineSpan['outcome']> } = {
  done: 'ok',
  failed: 'failed',
  cancelled: 'cancelled',
};

function isPeopleWait({ kind }: SessionSpan): boolean {
  return kind === 'user' || kind === 'permission' || kind === 'pause';
}

function describeSpan(span: SessionSpan): Pick<TimelineSpan, 'label'> & Partial<TimelineSpan> {
  switch (span.kind) {
    case 'model':
      return { label: 'model', attempt: span.attempt };
    case 'tool':
      return { label: span.call.tool };
    case 'retry':
      return { label: 'waiting to retry', attempt: span.attempt + 1, dueAt: span.dueAt };
    case 'recovery':
      return { label: `recovering from ${span.rule}`, attempt: span.attempt };
    case 'user':
      return { label: 'waiting for the user' };
    case 'permission':
      return { label: 'waiting for permission' };
    case 'pause':
      return { label: 'paused' };
    case 'paging':
      return { label: 'paging memory' };
    case 'hooks':
      return { label: 'hooks' };
    default:
      return span satisfies never;
  }
}

const rowByKind: { readonly [Kind in Exclude<SpanKind, 'tool'>]: string } = {
  user: 'people',
  permission: 'people',
  pause: 'people',
  model: 'model',
  hooks: 'hooks',
  retry: 'retries',
  recovery: 'retries',
  paging: 'memory',
};

const rowOrder = ['people', 'model', 'tool', 'hooks', 'retries', 'memory'];

function getRowOrder(id: string): number {
  const [name = '', row = '0'] = id.split(' ');
  return rowOrder.indexOf(name) * 100 + Number(row);
}

function getRowLabel(id: string): string {
  if (id === 'tool 1') return 'tools';
  return id.startsWith('tool ') ? '' : id;
}

function toFiniteTime(value: number, otherwise: number): number {
  return Number.isFinite(value) ? value : otherwise;
}

/** Formats a span in one line: label, attempt, start, duration and result. */
export function formatSpan(
  { label, from, to, attempt, dueAt, outcome, kind }: TimelineSpan,
  now: number,
): string {
  const attemptLabel = attempt !== null && (attempt > 1 || kind === 'retry') ? `attempt ${attempt}` : null;
  const dueLabel = dueAt === null ? null : `next attempt at ${formatLocalClock(dueAt)}`;
  const duration = formatElapsedTime(Math.max(0, (to?.at ?? now) - from.at));
  return [
    toSafeLine(label, 80),
    attemptLabel,
    `at ${formatLocalClock(from.at)}`,
    to === null ? `for ${duration} so far` : duration,
    dueLabel,
    outcome === 'ok' ? null : outcome,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

export const toneBySpanKind: Readonly<Record<SpanKind, ColorTone>> = {
  model: 'model',
  tool: 'tools',
  hooks: 'hook',
  user: 'user',
  permission: 'permission',
  pause: 'paused',
  retry: 'recovery',
  recovery: 'governor',
  paging: 'paging',
};
