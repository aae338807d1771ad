import {
  getConversation,
  createEventNormalizer,
  getEventUsage,
  type Event,
  type Session,
  type TokenUsage,
  type Verdict,
  iterateItems,
} from '@pawl/core';
import { findToolAnswer } from '../../app/tool-answer.ts';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { getStatusLabel } from '../../app/tones.ts';
import { createIncrementalFold } from '../timeline/incremental-fold.ts';

/** Where two runs diverge: the number of common events, and the total of each run. */
export type RunDivergence = { readonly common: number; readonly a: number; readonly b: number };

/** Compares two runs event by event up to the first difference. */
export function findRunDivergence(a: ReplayedTimeline, b: ReplayedTimeline): RunDivergence {
  const [normalizeA, normalizeB] = [createEventNormalizer(), createEventNormalizer()];
  const length = Math.min(a.length, b.length);
  let common = 0;
  while (common < length && isJsonEqual(normalizeA(a.entry(common).event), normalizeB(b.entry(common).event)))
    common += 1;
  return { common, a: a.length, b: b.length };
}

/** Deep equality of plain JSON; the order of fields does not matter. */
export function isJsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [keys, otherKeys] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === otherKeys.length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && isJsonEqual(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}

/** Describes in words where and how the runs diverge. */
export function describeDivergence({ common, a, b }: RunDivergence): string {
  const events = `${common.toLocaleString('en')} ${common === 1 ? 'event' : 'events'}`;
  if (a === common && b === common) return `The runs are identical except for times: ${events}.`;
  if (common === 0) return 'The runs have no events in common.';
  const continuation =
    a === common
      ? 'then the first run ends'
      : b === common
        ? 'then the second run ends'
        : 'then the runs diverge';
  return `The first ${events} are identical except for times; ${continuation}.`;
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

  add({ event, notes, actions }: ReplayedEntry): void {
    this.#addEvent(event);
    for (const note of notes)
      if (note.type === 'verdict' && isTurnEnding(note.verdict)) this.verdict = note.verdict;
    if (event.type === 'verdict-reached' && isTurnEnding(event.verdict)) this.verdict = event.verdict;
    for (const action of actions) if (action.type === 'show-error') this.error = action.message;
  }

  #addEvent(event: Event): void {
    const usage = getEventUsage(event);
    if (usage !== undefined) this.#addUsage(usage);
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

  #addUsage({ inputTokens, outputTokens, cost }: TokenUsage): void {
    this.inputTokens += inputTokens;
    this.outputTokens += outputTokens;
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost;
  }
}

const getRunAccount: (timeline: ReplayedTimeline) => RunAccount = createIncrementalFold(
  () => new RunAccount(),
);

/** Whether a verdict ends the turn; milder verdicts let it continue. */
function isTurnEnding({ response: { kind } }: Verdict): boolean {
  return kind === 'finish' || kind === 'halt' || kind === 'ask';
}

/** Describes how a run ended, in the words of `pawl show`. */
export function describeRunEnding(timeline: ReplayedTimeline): string {
  const { turn } = timeline.latest;
  const account = getRunAccount(timeline);
  if (turn.status === 'halted') {
    const { kind, reason } = turn.why;
    return `${kind === 'stuck' || kind === 'budget' ? kind : 'halted'}: ${reason}`;
  }
  if (turn.status === 'shuttingDown') return 'shut down';
  if (turn.status !== 'waitingForUser') return 'unfinished';
  if (account.verdict !== null) {
    return `${account.verdict.rule === 'budget' ? 'budget' : 'stuck'}: ${account.verdict.reason}`;
  }
  if (getLastAnswer(timeline.latest) !== null) return 'answered';
  if (account.error !== null) return `failed: ${account.error}`;
  return timeline.length === 0 ? 'unused' : 'answered';
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
  readonly label: string;
  readonly a: string;
  readonly b: string;
  readonly isSame: boolean;
};

/** A run with the metadata that its events do not contain. */
export type ComparedRun = { readonly timeline: ReplayedTimeline; readonly model: string | null };

/** Builds the rows of the comparison, from the goal to the answer. */
export function buildComparisonRows(a: ComparedRun, b: ComparedRun): readonly ComparisonRow[] {
  const row = (label: string, value: (side: ComparedRun) => string | number | null): ComparisonRow => {
    const [one, other] = [String(value(a) ?? ''), String(value(b) ?? '')];
    return { label, a: one, b: other, isSame: one === other };
  };
  const settings = listDifferingSettings(a.timeline.created, b.timeline.created);
  return [
    row('goal', ({ timeline }) => getRunAccount(timeline).goal),
    row('model', ({ model }) => model),
    row('profile', ({ timeline }) => timeline.created.profile),
    ...(settings.length === 0
      ? []
      : [{ label: 'settings', a: settings.join(', '), b: 'differ', isSame: false }]),
    row('status', ({ timeline }) => getStatusLabel(timeline.latest.turn.status)),
    row('outcome', ({ timeline }) => describeRunEnding(timeline)),
    row('events', ({ timeline }) => formatGrouped(timeline.length)),
    row('steps', ({ timeline }) => formatGrouped(getRunAccount(timeline).steps)),
    row('tool calls', ({ timeline }) => formatGrouped(getRunAccount(timeline).toolCalls)),
    row('input tokens', ({ timeline }) => formatGrouped(getRunAccount(timeline).inputTokens)),
    row('output tokens', ({ timeline }) => formatGrouped(getRunAccount(timeline).outputTokens)),
    row('cost', ({ timeline }) => getRunAccount(timeline).cost),
    row('files changed', ({ timeline }) => [...getRunAccount(timeline).files].toSorted().join(', ')),
    row('answer', ({ timeline }) => getLastAnswer(timeline.latest)),
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
