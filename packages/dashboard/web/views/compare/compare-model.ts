import {
  getConversation,
  iterateItems,
  createEventNormalizer,
  getEventUsage,
  type Event,
  type Session,
  type TokenUsage,
  type Verdict,
} from '@pawl/core';
import { findToolAnswer } from '../../app/tool-answer.ts';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { getStatusLabel } from '../../app/tones.ts';
import { createIncrementalFold } from '../timeline/incremental-fold.ts';

/** Where two runs diverge: the number of common events, and the total of each run. */
export type RunDivergence = { readonly common: number; readonly a: number; readonly b: number };

/** Compares two runs event by event up to the first difference. */
export function findRunDivergence(a: ReplayedTimeline, b: ReplayedTimeline): RunDivergence {
  const [plainA, plainB] = [createEventNormalizer(), createEventNormalizer()];
  const length = Math.min(a.length, b.length);
  let common = 0;
  while (common < length && isJsonEqual(plainA(a.entry(common).event), plainB(b.entry(common).event)))
    common += 1;
  return { common, a: a.length, b: b.length };
}

/** Deep equality of plain JSON; the order of fields does not matter. */
export function isJsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, yours] = [Object.keys(one), Object.keys(other)];
  return (
    mine.length === yours.length &&
    mine.every(
      (key) => Object.hasOwn(other, key) && isJsonEqual(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}

/** Describes in words where and how the runs diverge. */
export function describeDivergence({ common, a, b }: RunDivergence): string {
  const events = `${common.toLocaleString('en')} ${common === 1 ? 'event' : 'events'}`;
  if (a === common && b === common) return `They are the same, times aside: ${events}.`;
  if (common === 0) return 'They have nothing in common.';
  const ended =
    a === common ? 'the first ends there' : b === common ? 'the second ends there' : 'then they part';
  return `The first ${events} are the same, times aside; ${ended}.`;
}

/** Summary of a run, computed from its events. */
class RunAccount {
  goal: string | null = null;
  steps = 0;
  modelFailures = 0;
  toolCalls = 0;
  inputTokens = 0;
  outputTokens = 0;
  cost: number | null = null;
  readonly files: Set<string> = new Set();
  /** The verdict that ended the last turn, if any. */
  verdict: Verdict | null = null;
  error: string | null = null;

  take({ event, notes, actions }: ReplayedEntry): void {
    this.#count(event);
    for (const note of notes)
      if (note.type === 'verdict' && isTurnEnding(note.verdict)) this.verdict = note.verdict;
    if (event.type === 'verdict-reached' && isTurnEnding(event.verdict)) this.verdict = event.verdict;
    for (const action of actions) if (action.type === 'show-error') this.error = action.message;
  }

  #count(event: Event): void {
    const usage = getEventUsage(event);
    if (usage !== undefined) this.#used(usage);
    switch (event.type) {
      case 'user-message':
        if (event.automatic !== true) this.goal ??= event.text;
        this.verdict = null;
        this.error = null;
        return;
      case 'model-failed':
        this.modelFailures += 1;
        return;
      case 'tool-finished':
        this.toolCalls += 1;
        for (const { path } of event.files ?? []) this.files.add(path);
        return;
      case 'model-replied':
        this.steps += 1;
        return;
      default:
    }
  }

  #used({ inputTokens, outputTokens, cost }: TokenUsage): void {
    this.inputTokens += inputTokens;
    this.outputTokens += outputTokens;
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost;
  }
}

const getRunAccount: (track: ReplayedTimeline) => RunAccount = createIncrementalFold(() => new RunAccount());

/** Whether a verdict ends the turn; milder verdicts let it continue. */
function isTurnEnding({ response: { kind } }: Verdict): boolean {
  return kind === 'finish' || kind === 'halt' || kind === 'ask';
}

/** Describes how a run ended, in the words of `pawl show`. */
export function describeRunEnding(track: ReplayedTimeline): string {
  const { turn } = track.now;
  const account = getRunAccount(track);
  if (turn.status === 'halted') {
    const { kind, reason } = turn.why;
    return `${kind === 'stuck' || kind === 'budget' ? kind : 'halted'}: ${reason}`;
  }
  if (turn.status === 'shuttingDown') return 'shut down';
  if (turn.status !== 'waitingForUser') return 'unfinished';
  if (account.verdict !== null) {
    return `${account.verdict.rule === 'budget' ? 'budget' : 'stuck'}: ${account.verdict.reason}`;
  }
  if (getLastAnswer(track.now) !== null) return 'answered';
  if (account.error !== null) return `failed: ${account.error}`;
  return track.length === 0 ? 'unused' : 'answered';
}

/** Returns the last answer after the most recent user message, or null. */
export function getLastAnswer(session: Session): string | null {
  let answer: string | null = null;
  for (const message of iterateItems(getConversation(session))) {
    if (message.role === 'user') answer = null;
    if (message.role === 'assistant' && message.text.trim() !== '' && message.calls.length === 0)
      answer = message.text;
    if (message.role === 'tool') answer = findToolAnswer(message.outcome) ?? answer;
  }
  return answer;
}

export type ComparisonRow = {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  readonly isSame: boolean;
};

/** A run with the metadata that its events do not contain. */
export type ComparedRun = { readonly track: ReplayedTimeline; readonly model: string | null };

/** Builds the rows of the comparison, from the goal to the answer. */
export function buildComparisonRows(a: ComparedRun, b: ComparedRun): readonly ComparisonRow[] {
  const row = (what: string, value: (side: ComparedRun) => string | number | null): ComparisonRow => {
    const [one, other] = [String(value(a) ?? ''), String(value(b) ?? '')];
    return { what, a: one, b: other, isSame: one === other };
  };
  const settings = listDifferingSettings(a.track.created, b.track.created);
  return [
    row('goal', ({ track }) => getRunAccount(track).goal),
    row('model', ({ model }) => model),
    row('profile', ({ track }) => track.created.profile),
    ...(settings.length === 0
      ? []
      : [{ what: 'settings', a: settings.join(', '), b: 'differ', isSame: false }]),
    row('status', ({ track }) => getStatusLabel(track.now.turn.status)),
    row('ended', ({ track }) => describeRunEnding(track)),
    row('events', ({ track }) => formatGrouped(track.length)),
    row('steps', ({ track }) => formatGrouped(getRunAccount(track).steps)),
    row('tool calls', ({ track }) => formatGrouped(getRunAccount(track).toolCalls)),
    row('tokens read', ({ track }) => formatGrouped(getRunAccount(track).inputTokens)),
    row('tokens written', ({ track }) => formatGrouped(getRunAccount(track).outputTokens)),
    row('cost', ({ track }) => getRunAccount(track).cost),
    row('files changed', ({ track }) => [...getRunAccount(track).files].toSorted().join(', ')),
    row('answer', ({ track }) => getLastAnswer(track.now)),
  ];
}

function formatGrouped(value: number): string {
  return value.toLocaleString('en');
}

function listDifferingSettings({ settings: a }: Session, { settings: b }: Session): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isJsonEqual(Reflect.get(a, name), Reflect.get(b, name)));
}

/** How an event relates to the event next to it in the other run. */
export type EventAlignment = 'same' | 'parts' | 'apart';

export function getEventAlignment({ common }: RunDivergence, index: number): EventAlignment {
  if (index < common) return 'same';
  return index === common ? 'parts' : 'apart';
}
