import { usageOf, type Session, type TurnStatus, type Verdict } from '@pawl/core';
import type { Seen, Trouble } from '@pawl/runtime';
import { withEvent, type LoggedEvent } from './event-lines.ts';
import { emptyInput, type Input } from './input.ts';
import type { AskedQuestion } from './questions.ts';
import { emptyStory, withRemark, type Story } from './story.ts';
import { newMessages, retell, tell } from './tell.ts';

export const viewNames = ['work', 'transcript', 'events', 'memory', 'help'] as const;
export type ViewName = (typeof viewNames)[number];

export type Size = { readonly columns: number; readonly rows: number };

/**
 * Everything the live view shows, as data: a function of what happened, of the keys that were pressed and of the time. Plain,
 * and bounded whatever the length of the session; the session itself is only pointed at.
 */
export type ScreenModel = {
  readonly about: About;
  readonly size: Size;
  /** The latest time that is known. */
  readonly now: number;
  readonly session: Session;
  readonly story: Story;
  readonly events: readonly LoggedEvent[];
  /** States of the turn since the user spoke last, the newest last. */
  readonly trail: readonly TurnStatus[];
  readonly verdicts: { readonly count: number; readonly latest: Verdict | null };
  readonly used: Used;
  readonly trouble: Trouble | null;
  /** What the user has said and the agent has not heard yet. */
  readonly unheard: readonly string[];
  readonly questions: readonly AskedQuestion[];
  readonly ui: Ui;
};

export type About = {
  readonly id: string;
  readonly folder: string;
  readonly model: string;
  /** `watch` looks on: it can neither say nor decide anything. */
  readonly mode: 'run' | 'chat' | 'watch';
};

export type Used = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
};

/** What the keys have made of the view. */
export type Ui = {
  readonly view: ViewName;
  /** Rows that the reader has gone back from the end, or on from the beginning, of the view. */
  readonly scroll: number;
  /** While somebody reads back, what they read stands still. */
  readonly held: { readonly story: Story; readonly events: readonly LoggedEvent[] } | null;
  /** The chosen entry of the memory view. */
  readonly entry: number;
  readonly isTyping: boolean;
  readonly input: Input;
  /** Whether cards show what tools said. */
  readonly cardsOpen: boolean;
  readonly notice: { readonly text: string; readonly until: number } | null;
  /** Until when another Ctrl-C leaves; null when none was pressed. */
  readonly leavingUntil: number | null;
};

const trailMax = 200;
const unheardMax = 20;

export function openScreen(options: {
  readonly about: About;
  readonly size: Size;
  readonly session: Session;
  readonly now: number;
}): ScreenModel {
  const { about, size, session, now } = options;
  const { modelCalls, toolCalls, cost } = session.spent;
  const start = withRemark(emptyStory, 'quiet', `Session ${about.id} · ${about.model} · ${about.folder}`);
  return {
    about,
    size,
    now,
    session,
    story: retell(start, session),
    events: [],
    trail: [session.turn.status],
    verdicts: { count: 0, latest: null },
    used: { modelCalls, toolCalls, inputTokens: 0, outputTokens: 0, cost },
    trouble: null,
    unheard: [],
    questions: [],
    ui: {
      view: 'work',
      scroll: 0,
      held: null,
      entry: 0,
      isTyping: about.mode === 'chat' && session.turn.status === 'waitingForUser',
      input: emptyInput,
      cardsOpen: false,
      notice: null,
      leavingUntil: null,
    },
  };
}

/** What becomes of the view when something has happened in the session. */
export function see(model: ScreenModel, seen: Seen): ScreenModel {
  const { session: before } = model;
  const { session, event } = seen;
  return {
    ...model,
    now: Number.isFinite(event.at) ? Math.max(model.now, event.at) : model.now,
    session,
    story: tell(model.story, before, seen),
    events: withEvent(model.events, before, seen),
    trail: session === before ? model.trail : withStates(model.trail, seen),
    verdicts: withVerdicts(model.verdicts, seen),
    used: session === before ? model.used : withUse(model.used, seen),
    unheard: session === before ? model.unheard : stillUnheard(model, seen),
    ui: withFocus(model, session),
  };
}

export function tick(model: ScreenModel, now: number): ScreenModel {
  const { ui } = model;
  const notice = ui.notice !== null && ui.notice.until < now ? null : ui.notice;
  const leavingUntil = ui.leavingUntil !== null && ui.leavingUntil < now ? null : ui.leavingUntil;
  const isSame = notice === ui.notice && leavingUntil === ui.leavingUntil;
  return { ...model, now: Math.max(model.now, now), ui: isSame ? ui : { ...ui, notice, leavingUntil } };
}

/** Whether the view has changed only because time has passed: a spinner turns at once, a clock after a second. */
export function looksOther({ session, now: before }: ScreenModel, now: number): boolean {
  return !still.has(session.turn.status) || Math.floor(now / 1_000) !== Math.floor(before / 1_000);
}

const still: ReadonlySet<TurnStatus> = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
  'halted',
  'shuttingDown',
]);

export function resize(model: ScreenModel, size: Size): ScreenModel {
  return { ...model, size };
}

export function warn(model: ScreenModel, text: string): ScreenModel {
  return { ...model, story: withRemark(model.story, 'warn', text) };
}

/** The line that is typed belongs to the view of the work; in the others keys are keys. */
export function isTypingNow({ ui }: ScreenModel): boolean {
  return ui.isTyping && ui.view === 'work';
}

export function isWaiting({ session: { turn } }: ScreenModel): boolean {
  return turn.status === 'waitingForUser';
}

/** The path begins anew when work begins. */
function withStates(trail: readonly TurnStatus[], { notes }: Seen): readonly TurnStatus[] {
  const moves = notes.filter((note) => note.type === 'transition');
  const states = moves.map(({ to }) => to);
  const [first] = moves;
  if (first === undefined) return trail;
  return first.from === 'waitingForUser' ? [first.from, ...states] : [...trail.slice(-trailMax), ...states];
}

function withVerdicts(verdicts: ScreenModel['verdicts'], { notes }: Seen): ScreenModel['verdicts'] {
  const latest = notes.findLast((note) => note.type === 'verdict');
  if (latest === undefined) return verdicts;
  const count = notes.filter((note) => note.type === 'verdict').length;
  return { count: verdicts.count + count, latest: latest.verdict };
}

function withUse(used: Used, { event }: Seen): Used {
  if (event.type === 'tool-finished') return { ...used, toolCalls: used.toolCalls + 1 };
  const usage = usageOf(event);
  const isCall = event.type === 'model-replied' || event.type === 'model-failed';
  if (!isCall && usage === undefined) return used;
  return {
    ...used,
    modelCalls: used.modelCalls + (isCall ? 1 : 0),
    inputTokens: used.inputTokens + counted(usage?.inputTokens),
    outputTokens: used.outputTokens + counted(usage?.outputTokens),
    cost: used.cost + counted(usage?.cost),
  };
}

/** Providers report what they like. */
function counted(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}

/** What is said while work is under way is heard once it stands in the conversation. */
function stillUnheard(
  { unheard, session: before }: ScreenModel,
  { event, session }: Seen,
): readonly string[] {
  const said = event.type === 'steered' ? [...unheard.slice(1 - unheardMax), event.text] : unheard;
  if (said.length === 0) return said;
  const heard = newMessages(before, session).flatMap((message) =>
    message.role === 'user' ? [message.text] : [],
  );
  return heard.reduce((rest, text) => {
    const index = rest.indexOf(text);
    return index === -1 ? rest : rest.toSpliced(index, 1);
  }, said);
}

/** Once it is the user's turn in a conversation they can just type; once it is not, keys are keys, unless they type. */
function withFocus({ about, session: before, ui, questions }: ScreenModel, after: Session): Ui {
  const isTurn = after.turn.status === 'waitingForUser';
  if (about.mode !== 'chat' || isTurn === (before.turn.status === 'waitingForUser')) return ui;
  const isInUse = ui.input.text !== '' || questions[0]?.kind === 'model';
  return isInUse ? ui : { ...ui, isTyping: isTurn };
}
