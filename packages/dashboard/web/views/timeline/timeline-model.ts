import type { Action, Event, Note, Session, TurnStatus, Verdict } from '@pawl/core';
import type { Entry, Track } from '../../app/track.ts';
import { keptUp } from './kept-up.ts';

/** A point of a session: an event, when it came, and its place among the events. Times never go back. */
export type Moment = { readonly seq: number; readonly at: number; readonly index: number };

export type SpanKind =
  | 'model'
  | 'tool'
  | 'hooks'
  | 'user'
  | 'permission'
  | 'pause'
  | 'retry'
  | 'recovery'
  | 'paging';

/** Something that took time. One that is not over has no end. */
export type Span = {
  readonly kind: SpanKind;
  readonly from: Moment;
  readonly to: Moment | null;
  readonly label: string;
  /** Which try it is, of a call to the model or of a retry. */
  readonly attempt: number | null;
  /** When the next try falls due. */
  readonly dueAt: number | null;
  readonly ending: 'ok' | 'failed' | 'called off' | null;
};

/** Spans that never overlap, in order. */
export type Row = { readonly id: string; readonly label: string; readonly spans: readonly Span[] };

export type Mark = Moment & { readonly verdict: Verdict };

/** A phase or a mode: what the work at that time was part of. */
export type Band = {
  readonly from: Moment;
  readonly to: Moment | null;
  readonly label: string;
  readonly success: boolean | null;
};

type Open = { -readonly [Key in keyof Span]: Span[Key] };
type OpenBand = { -readonly [Key in keyof Band]: Band[Key] };

/** More calls at a time than this share the last row. */
const toolRowsMax = 8;

/** What everything in a session took, worked out event by event. */
export class Timeline {
  readonly #rows = new Map<string, Open[]>();
  readonly marks: Mark[] = [];
  readonly said: Moment[] = [];
  readonly phases: Band[] = [];
  readonly modes: Band[] = [];
  #model: Open | null = null;
  #modelRequest = 0;
  #attempt = 1;
  /** The stay in a state that waits for something other than the model and tools. */
  #stay: Open | null = null;
  readonly #tools = new Map<string, { readonly span: Open; readonly request: number }>();
  readonly #asked = new Map<
    string,
    { readonly moment: Moment; readonly tool: string; readonly request: number }
  >();
  #phase: (OpenBand & { readonly number: number }) | null = null;
  #mode: OpenBand | null = null;
  #last: Moment;

  constructor({ seq, turn, mode }: Session) {
    this.#last = { seq, at: finite(turn.since, 0), index: -1 };
    if (mode !== null) this.#mode = this.#band(this.modes, this.#last, mode.state);
  }

  /** The moment of the last event there is. */
  get end(): Moment {
    return this.#last;
  }

  get begin(): Moment | null {
    return this.#begin;
  }
  #begin: Moment | null = null;

  /** In the order they are shown in: people, the model, tools, and what went wrong or made room. */
  get rows(): readonly Row[] {
    return [...this.#rows]
      .map(([id, spans]) => ({ id, label: rowLabel(id), spans }))
      .toSorted((one, other) => rowPlace(one.id) - rowPlace(other.id));
  }

  take({ seq, event, status, actions, notes }: Entry, index: number): void {
    const now: Moment = { seq, index, at: Math.max(this.#last.at, finite(event.at, this.#last.at)) };
    // It begins with the first event: nobody waited for that.
    if (this.#begin === null) this.#begin = now;
    this.#last = now;
    if (!notes.some(({ type }) => type === 'refused')) this.#happened(event, status, now);
    for (const note of notes) this.#noted(note, now);
    if (event.type === 'verdict-reached' && !notes.some(({ type }) => type === 'verdict')) {
      this.marks.push({ ...now, verdict: event.verdict });
    }
    for (const action of actions) this.#asks(action, now);
  }

  #happened(event: Event, status: TurnStatus, now: Moment): void {
    switch (event.type) {
      case 'user-message':
      case 'steered':
        this.said.push(now);
        return;
      case 'model-replied':
        // A reply that was taken for a failure, such as a chant, is waited for once more.
        this.#endModel(now, status === 'errorRecovery' || event.problem !== undefined ? 'failed' : 'ok');
        return;
      case 'model-failed':
        this.#endModel(now, 'failed');
        return;
      case 'tool-started':
        this.#beginTool(event.callId, now, now);
        return;
      case 'tool-finished':
        this.#endTool(event, now);
        return;
      default:
    }
  }

  #noted(note: Note, now: Moment): void {
    switch (note.type) {
      case 'transition':
        this.#moved(note, now);
        return;
      case 'verdict':
        this.marks.push({ ...now, verdict: note.verdict });
        return;
      case 'phase-started':
        this.#phaseBegan(note, now);
        return;
      case 'phase-completed':
        this.#phaseEnded(now, note.success);
        return;
      case 'mode':
        if (note.from === note.to) return;
        if (this.#mode !== null) this.#mode.to = now;
        this.#mode = this.#band(this.modes, now, note.to);
        return;
      case 'refused':
      case 'paged':
        return;
      default:
        note satisfies never;
    }
  }

  #moved({ from, to }: Extract<Note, { readonly type: 'transition' }>, now: Moment): void {
    if (this.#stay !== null && from !== to) {
      end(this.#stay, now, 'ok');
      this.#stay = null;
    }
    const kind = stays[to];
    if (kind === undefined) return;
    this.#stay = this.#open(rowOf[kind], { kind, from: now, label: stayLabels[kind] });
  }

  #asks(action: Action, now: Moment): void {
    switch (action.type) {
      case 'ask-model':
        return this.#beginModel(action, now);
      case 'ask-permission':
      case 'run-tools':
        for (const { id, tool } of action.calls) {
          this.#asked.set(id, { moment: now, tool, request: action.request });
        }
        return;
      case 'abort':
        return this.#abort(action.request, now);
      case 'wait':
        if (action.until !== null) this.#tryAgain(action.until);
        return;
      case 'recover':
        return this.#recover(action);
      case 'stop':
      case 'shut-down':
        return this.#abort(null, now);
      default:
    }
  }

  #tryAgain(until: number): void {
    if (this.#stay?.kind !== 'retry') return;
    this.#stay.dueAt = until;
    this.#stay.attempt = this.#attempt + 1;
  }

  #recover({ verdict, attempt }: Extract<Action, { readonly type: 'recover' }>): void {
    if (this.#stay?.kind !== 'retry') return;
    this.#stay.kind = 'recovery';
    this.#stay.label = `looks for a way out of ${verdict.rule}`;
    this.#stay.attempt = attempt;
  }

  #beginModel({ request, attempt }: Extract<Action, { readonly type: 'ask-model' }>, now: Moment): void {
    if (this.#model !== null && this.#modelRequest === request) return;
    this.#endModel(now, 'called off');
    this.#modelRequest = request;
    this.#attempt = attempt;
    this.#model = this.#open('model', { kind: 'model', from: now, label: 'model', attempt });
  }

  #endModel(now: Moment, ending: NonNullable<Span['ending']>): void {
    if (this.#model !== null) end(this.#model, now, ending);
    this.#model = null;
  }

  #beginTool(callId: string, from: Moment, now: Moment): void {
    this.#endSpanOf(callId, now, 'called off');
    const asked = this.#asked.get(callId);
    const span = this.#open(this.#freeToolRow(from), { kind: 'tool', from, label: asked?.tool ?? callId });
    this.#tools.set(callId, { span, request: asked?.request ?? 0 });
  }

  #endTool({ callId, outcome }: Extract<Event, { readonly type: 'tool-finished' }>, now: Moment): void {
    // Recorded runs of others may know only of the end.
    const asked = this.#asked.get(callId);
    if (!this.#tools.has(callId) && asked !== undefined) this.#beginTool(callId, asked.moment, now);
    this.#endSpanOf(callId, now, outcome.ok ? 'ok' : 'failed');
    this.#asked.delete(callId);
  }

  #endSpanOf(callId: string, now: Moment, ending: NonNullable<Span['ending']>): void {
    const open = this.#tools.get(callId);
    if (open === undefined) return;
    end(open.span, now, ending);
    this.#tools.delete(callId);
  }

  #abort(request: number | null, now: Moment): void {
    if (request === null || this.#modelRequest === request) this.#endModel(now, 'called off');
    for (const [callId, open] of this.#tools) {
      if (request === null || open.request === request) this.#endSpanOf(callId, now, 'called off');
    }
  }

  /** A row in which nothing has been running since that moment. */
  #freeToolRow(from: Moment): string {
    for (let lane = 1; lane < toolRowsMax; lane += 1) {
      const last = this.#rows.get(`tool ${lane}`)?.at(-1);
      const isFree = last === undefined || (last.to !== null && last.to.index <= from.index);
      if (isFree) return `tool ${lane}`;
    }
    return `tool ${toolRowsMax}`;
  }

  #open(row: string, begun: Pick<Span, 'kind' | 'from' | 'label'> & { readonly attempt?: number }): Open {
    const span: Open = { to: null, attempt: null, dueAt: null, ending: null, ...begun };
    const spans = this.#rows.get(row);
    if (spans === undefined) this.#rows.set(row, [span]);
    else spans.push(span);
    return span;
  }

  #phaseBegan({ number, description }: Extract<Note, { readonly type: 'phase-started' }>, now: Moment): void {
    const label = `${number}: ${description}`;
    if (this.#phase?.number === number) {
      this.#phase.label = label;
      return;
    }
    this.#phaseEnded(now, true);
    this.#phase = Object.assign(this.#band(this.phases, now, label), { number });
  }

  #phaseEnded(now: Moment, success: boolean): void {
    if (this.#phase === null) return;
    this.#phase.to = now;
    this.#phase.success = success;
    this.#phase = null;
  }

  #band(list: Band[], from: Moment, label: string): OpenBand {
    const band: OpenBand = { from, to: null, label, success: null };
    list.push(band);
    return band;
  }
}

export const timelineOf: (track: Track) => Timeline = keptUp(({ created }) => new Timeline(created));

function end(span: Open, now: Moment, ending: NonNullable<Span['ending']>): void {
  span.to = now;
  span.ending = ending;
}

type Stay = 'user' | 'permission' | 'pause' | 'retry' | 'recovery' | 'paging' | 'hooks';

const stays: { readonly [Status in TurnStatus]?: Stay } = {
  waitingForUser: 'user',
  awaitingPermission: 'permission',
  paused: 'pause',
  errorRecovery: 'retry',
  paging: 'paging',
  postToolsHook: 'hooks',
};

const stayLabels: { readonly [Kind in Stay]: string } = {
  user: 'waits for the user',
  permission: 'waits for permission',
  pause: 'paused',
  retry: 'waits to try again',
  recovery: 'looks for a way out',
  paging: 'makes room',
  hooks: 'hooks',
};

const rowOf: { readonly [Kind in Stay]: string } = {
  user: 'people',
  permission: 'people',
  pause: 'people',
  retry: 'retries',
  recovery: 'retries',
  paging: 'memory',
  hooks: 'hooks',
};

const rowOrder = ['people', 'model', 'tool', 'hooks', 'retries', 'memory'];

function rowPlace(id: string): number {
  const [name = '', lane = '0'] = id.split(' ');
  return rowOrder.indexOf(name) * 100 + Number(lane);
}

function rowLabel(id: string): string {
  if (id === 'tool 1') return 'tools';
  return id.startsWith('tool ') ? '' : id;
}

function finite(value: number, otherwise: number): number {
  return Number.isFinite(value) ? value : otherwise;
}
