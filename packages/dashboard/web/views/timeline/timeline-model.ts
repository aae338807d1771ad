import type { Action, Event, Note, Session, TurnStatus, Verdict } from '@pawl/core';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { createIncrementalFold } from './incremental-fold.ts';

/** A moment of a session: an event, its time and its index. Times never decrease. */
export type TimelineMoment = { readonly seq: number; readonly at: number; readonly index: number };

export type TimelineSpanKind =
  | 'model'
  | 'tool'
  | 'hooks'
  | 'user'
  | 'permission'
  | 'pause'
  | 'retry'
  | 'recovery'
  | 'paging';

/** A period of work or waiting. An open span has no end. */
export type TimelineSpan = {
  readonly kind: TimelineSpanKind;
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
  #model: OpenSpan | null = null;
  #modelRequest = 0;
  #attempt = 1;
  /** The open span of a wait for something other than the model or tools. */
  #wait: OpenSpan | null = null;
  readonly #tools = new Map<string, { readonly span: OpenSpan; readonly request: number }>();
  readonly #requestedCalls = new Map<
    string,
    { readonly moment: TimelineMoment; readonly tool: string; readonly request: number }
  >();
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

  add({ seq, event, status, actions, notes }: ReplayedEntry, index: number): void {
    const now: TimelineMoment = {
      seq,
      index,
      at: Math.max(this.#last.at, toFiniteTime(event.at, this.#last.at)),
    };
    // The timeline starts at the first event; the time before it is not a wait.
    if (this.#start === null) this.#start = now;
    this.#last = now;
    if (!notes.some(({ type }) => type === 'refused')) this.#addEvent(event, status, now);
    for (const note of notes) this.#addNote(note, now);
    if (event.type === 'verdict-reached' && !notes.some(({ type }) => type === 'verdict')) {
      this.verdicts.push({ ...now, verdict: event.verdict });
    }
    for (const action of actions) this.#addAction(action, now);
  }

  #addEvent(event: Event, status: TurnStatus, now: TimelineMoment): void {
    switch (event.type) {
      case 'user-message':
      case 'steered':
        this.userMessages.push(now);
        return;
      case 'model-replied':
        // A reply rejected as a failure, such as a repetition loop, is retried.
        this.#endModelCall(now, status === 'errorRecovery' || event.problem !== undefined ? 'failed' : 'ok');
        return;
      case 'model-failed':
        this.#endModelCall(now, 'failed');
        return;
      case 'tool-started':
        this.#startTool(event.callId, now, now);
        return;
      case 'tool-finished':
        this.#endTool(event, now);
        return;
      default:
    }
  }

  #addNote(note: Note, now: TimelineMoment): void {
    switch (note.type) {
      case 'transition':
        this.#changeWait(note, now);
        return;
      case 'verdict':
        this.verdicts.push({ ...now, verdict: note.verdict });
        return;
      case 'phase-started':
        this.#startPhase(note, now);
        return;
      case 'phase-completed':
        this.#endPhase(now, note.success);
        return;
      case 'mode':
        if (note.from === note.to) return;
        if (this.#mode !== null) this.#mode.to = now;
        this.#mode = this.#addBand(this.modes, now, note.to);
        return;
      case 'refused':
      case 'paged':
        return;
      default:
        note satisfies never;
    }
  }

  #changeWait({ from, to }: Extract<Note, { readonly type: 'transition' }>, now: TimelineMoment): void {
    if (this.#wait !== null && from !== to) {
      endSpan(this.#wait, now, 'ok');
      this.#wait = null;
    }
    const kind = waitKindByStatus[to];
    if (kind === undefined) return;
    this.#wait = this.#openSpan(rowByWaitKind[kind], { kind, from: now, label: waitKindLabels[kind] });
  }

  #addAction(action: Action, now: TimelineMoment): void {
    switch (action.type) {
      case 'ask-model':
        return this.#startModelCall(action, now);
      case 'ask-permission':
      case 'run-tools':
        for (const { id, tool } of action.calls) {
          this.#requestedCalls.set(id, { moment: now, tool, request: action.request });
        }
        return;
      case 'abort':
        return this.#abort(action.request, now);
      case 'wait':
        if (action.until !== null) this.#scheduleRetry(action.until);
        return;
      case 'recover':
        return this.#startRecovery(action);
      case 'stop':
      case 'shut-down':
        return this.#abort(null, now);
      default:
    }
  }

  #scheduleRetry(until: number): void {
    if (this.#wait?.kind !== 'retry') return;
    this.#wait.dueAt = until;
    this.#wait.attempt = this.#attempt + 1;
  }

  #startRecovery({ verdict, attempt }: Extract<Action, { readonly type: 'recover' }>): void {
    if (this.#wait?.kind !== 'retry') return;
    this.#wait.kind = 'recovery';
    this.#wait.label = `recovering from ${verdict.rule}`;
    this.#wait.attempt = attempt;
  }

  #startModelCall(
    { request, attempt }: Extract<Action, { readonly type: 'ask-model' }>,
    now: TimelineMoment,
  ): void {
    if (this.#model !== null && this.#modelRequest === request) return;
    this.#endModelCall(now, 'cancelled');
    this.#modelRequest = request;
    this.#attempt = attempt;
    this.#model = this.#openSpan('model', { kind: 'model', from: now, label: 'model', attempt });
  }

  #endModelCall(now: TimelineMoment, ending: NonNullable<TimelineSpan['outcome']>): void {
    if (this.#model !== null) endSpan(this.#model, now, ending);
    this.#model = null;
  }

  #startTool(callId: string, from: TimelineMoment, now: TimelineMoment): void {
    this.#endToolSpan(callId, now, 'cancelled');
    const requestedCall = this.#requestedCalls.get(callId);
    const span = this.#openSpan(this.#findFreeToolRow(from), {
      kind: 'tool',
      from,
      label: requestedCall?.tool ?? callId,
    });
    this.#tools.set(callId, { span, request: requestedCall?.request ?? 0 });
  }

  #endTool(
    { callId, outcome }: Extract<Event, { readonly type: 'tool-finished' }>,
    now: TimelineMoment,
  ): void {
    // Runs recorded by other agents may contain only the end of a call.
    const requestedCall = this.#requestedCalls.get(callId);
    if (!this.#tools.has(callId) && requestedCall !== undefined)
      this.#startTool(callId, requestedCall.moment, now);
    this.#endToolSpan(callId, now, outcome.ok ? 'ok' : 'failed');
    this.#requestedCalls.delete(callId);
  }

  #endToolSpan(callId: string, now: TimelineMoment, ending: NonNullable<TimelineSpan['outcome']>): void {
    const open = this.#tools.get(callId);
    if (open === undefined) return;
    endSpan(open.span, now, ending);
    this.#tools.delete(callId);
  }

  #abort(request: number | null, now: TimelineMoment): void {
    if (request === null || this.#modelRequest === request) this.#endModelCall(now, 'cancelled');
    for (const [callId, open] of this.#tools) {
      if (request === null || open.request === request) this.#endToolSpan(callId, now, 'cancelled');
    }
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
    fields: Pick<TimelineSpan, 'kind' | 'from' | 'label'> & { readonly attempt?: number },
  ): OpenSpan {
    const span: OpenSpan = { to: null, attempt: null, dueAt: null, outcome: null, ...fields };
    const spans = this.#rows.get(row);
    if (spans === undefined) this.#rows.set(row, [span]);
    else spans.push(span);
    return span;
  }

  #startPhase(
    { number, description }: Extract<Note, { readonly type: 'phase-started' }>,
    now: TimelineMoment,
  ): void {
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

type WaitKind = 'user' | 'permission' | 'pause' | 'retry' | 'recovery' | 'paging' | 'hooks';

const waitKindByStatus: { readonly [Status in TurnStatus]?: WaitKind } = {
  waitingForUser: 'user',
  awaitingPermission: 'permission',
  paused: 'pause',
  errorRecovery: 'retry',
  paging: 'paging',
  postToolsHook: 'hooks',
};

const waitKindLabels: { readonly [Kind in WaitKind]: string } = {
  user: 'waiting for the user',
  permission: 'waiting for permission',
  pause: 'paused',
  retry: 'waiting to retry',
  recovery: 'recovering',
  paging: 'paging memory',
  hooks: 'hooks',
};

const rowByWaitKind: { readonly [Kind in WaitKind]: string } = {
  user: 'people',
  permission: 'people',
  pause: 'people',
  retry: 'retries',
  recovery: 'retries',
  paging: 'memory',
  hooks: 'hooks',
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
