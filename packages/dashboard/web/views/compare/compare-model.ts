import {
  conversationOf,
  items,
  plainEvents,
  usageOf,
  type Event,
  type Session,
  type Usage,
  type Verdict,
} from '@pawl/core';
import { finalAnswer } from '../../app/final-answer.ts';
import type { Entry, Track } from '../../app/track.ts';
import { statusWords } from '../../app/tones.ts';
import { keptUp } from '../timeline/kept-up.ts';

/** Where two runs part: how many events they have in common, and how many each has altogether. */
export type Parting = { readonly common: number; readonly a: number; readonly b: number };

/** Goes through two runs side by side, up to the first events that say something else. */
export function partingOf(a: Track, b: Track): Parting {
  const [plainA, plainB] = [plainEvents(), plainEvents()];
  const length = Math.min(a.length, b.length);
  let common = 0;
  while (common < length && isSame(plainA(a.entry(common).event), plainB(b.entry(common).event))) common += 1;
  return { common, a: a.length, b: b.length };
}

/** Whether two pieces of plain JSON say the same, whatever the order of their fields. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, yours] = [Object.keys(one), Object.keys(other)];
  return (
    mine.length === yours.length &&
    mine.every((key) => Object.hasOwn(other, key) && isSame(Reflect.get(one, key), Reflect.get(other, key)))
  );
}

/** How the two go on from where they part, in words. */
export function partingText({ common, a, b }: Parting): string {
  const events = `${common.toLocaleString('en')} ${common === 1 ? 'event' : 'events'}`;
  if (a === common && b === common) return `They are the same, times aside: ${events}.`;
  if (common === 0) return 'They have nothing in common.';
  const ended =
    a === common ? 'the first ends there' : b === common ? 'the second ends there' : 'then they part';
  return `The first ${events} are the same, times aside; ${ended}.`;
}

/** What a run came to, added up from its events. */
class Account {
  goal: string | null = null;
  steps = 0;
  modelFailures = 0;
  toolCalls = 0;
  inputTokens = 0;
  outputTokens = 0;
  cost: number | null = null;
  readonly files: Set<string> = new Set();
  /** The verdict that ended the last turn, if one did. */
  verdict: Verdict | null = null;
  error: string | null = null;

  take({ event, notes, actions }: Entry): void {
    this.#count(event);
    for (const note of notes)
      if (note.type === 'verdict' && isEnding(note.verdict)) this.verdict = note.verdict;
    if (event.type === 'verdict-reached' && isEnding(event.verdict)) this.verdict = event.verdict;
    for (const action of actions) if (action.type === 'show-error') this.error = action.message;
  }

  #count(event: Event): void {
    const usage = usageOf(event);
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

  #used({ inputTokens, outputTokens, cost }: Usage): void {
    this.inputTokens += inputTokens;
    this.outputTokens += outputTokens;
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost;
  }
}

const accountOf: (track: Track) => Account = keptUp(() => new Account());

/** Whether a verdict ends the turn; milder ones only speak to the model. */
function isEnding({ response: { kind } }: Verdict): boolean {
  return kind === 'finish' || kind === 'halt' || kind === 'ask';
}

/** How a run ended, in the words of `pawl show`. */
export function endingOf(track: Track): string {
  const { turn } = track.now;
  const account = accountOf(track);
  if (turn.status === 'halted') {
    const { kind, reason } = turn.why;
    return `${kind === 'stuck' || kind === 'budget' ? kind : 'halted'}: ${reason}`;
  }
  if (turn.status === 'shuttingDown') return 'shut down';
  if (turn.status !== 'waitingForUser') return 'unfinished';
  if (account.verdict !== null) {
    return `${account.verdict.rule === 'budget' ? 'budget' : 'stuck'}: ${account.verdict.reason}`;
  }
  if (answerOf(track.now) !== null) return 'answered';
  if (account.error !== null) return `failed: ${account.error}`;
  return track.length === 0 ? 'unused' : 'answered';
}

/** The last answer since the user spoke last. */
export function answerOf(session: Session): string | null {
  let answer: string | null = null;
  for (const message of items(conversationOf(session))) {
    if (message.role === 'user') answer = null;
    if (message.role === 'assistant' && message.text.trim() !== '' && message.calls.length === 0)
      answer = message.text;
    if (message.role === 'tool') answer = finalAnswer(message.outcome) ?? answer;
  }
  return answer;
}

export type Row = {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  readonly isSame: boolean;
};

/** A run and what is known of it besides its events. */
export type Side = { readonly track: Track; readonly model: string | null };

/** What can be compared, from how they began to what came of them. */
export function rowsOf(a: Side, b: Side): readonly Row[] {
  const row = (what: string, value: (side: Side) => string | number | null): Row => {
    const [one, other] = [String(value(a) ?? ''), String(value(b) ?? '')];
    return { what, a: one, b: other, isSame: one === other };
  };
  const settings = settingsThatDiffer(a.track.created, b.track.created);
  return [
    row('goal', ({ track }) => accountOf(track).goal),
    row('model', ({ model }) => model),
    row('profile', ({ track }) => track.created.profile),
    ...(settings.length === 0
      ? []
      : [{ what: 'settings', a: settings.join(', '), b: 'differ', isSame: false }]),
    row('status', ({ track }) => statusWords(track.now.turn.status)),
    row('ended', ({ track }) => endingOf(track)),
    row('events', ({ track }) => grouped(track.length)),
    row('steps', ({ track }) => grouped(accountOf(track).steps)),
    row('tool calls', ({ track }) => grouped(accountOf(track).toolCalls)),
    row('tokens read', ({ track }) => grouped(accountOf(track).inputTokens)),
    row('tokens written', ({ track }) => grouped(accountOf(track).outputTokens)),
    row('cost', ({ track }) => accountOf(track).cost),
    row('files changed', ({ track }) => [...accountOf(track).files].toSorted().join(', ')),
    row('answer', ({ track }) => answerOf(track.now)),
  ];
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}

function settingsThatDiffer({ settings: a }: Session, { settings: b }: Session): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isSame(Reflect.get(a, name), Reflect.get(b, name)));
}

/** How an event of one run stands to the one beside it. */
export type Standing = 'same' | 'parts' | 'apart';

export function standingOf({ common }: Parting, index: number): Standing {
  if (index < common) return 'same';
  return index === common ? 'parts' : 'apart';
}
