import {
  conversationOf,
  usageOf,
  type Action,
  type Event,
  type Session,
  type Usage,
  type Verdict,
} from '@pawl/core';
import { answerOf } from '@pawl/runtime';
import type { Walk, Walked } from './show-walk.ts';
import { counted } from './number-text.ts';

/** What a session came to, added up from its log. */
export type Account = {
  readonly created: Session;
  readonly end: Session;
  readonly events: number;
  /** The time of the last event; null where there is none. */
  readonly lastAt: number | null;
  /** What the user said first. */
  readonly goal: string | null;
  /** Replies from the model, and times it gave none. */
  readonly steps: number;
  readonly modelFailures: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where no reply said what it cost. */
  readonly cost: number | null;
  /** Paths of files that tools said they changed. */
  readonly files: readonly string[];
  /** The verdict that ended the last turn, if one did. */
  readonly verdict: { readonly seq: number; readonly verdict: Verdict } | null;
  /** The last error shown since the user spoke last. */
  readonly error: string | null;
  readonly answer: string | null;
};

/** Steps through the whole log once; `onEvent` is told how far it is. */
export async function accountOf(
  { created, walked }: Walk,
  onEvent: (seq: number) => void = () => undefined,
): Promise<Account> {
  const tally = newTally();
  let end = created;
  for await (const each of walked) {
    end = each.after.session;
    count(tally, each);
    onEvent(each.seq);
  }
  const { files, ...counts } = tally;
  return { created, end, ...counts, files: [...files].toSorted(), answer: answerOf(conversationOf(end)) };
}

/** What the work came to, on one line. */
export function workText(account: Account): string {
  const { steps, modelFailures, toolCalls, inputTokens, outputTokens, cost, events, files } = account;
  return [
    counted(steps, 'step'),
    ...(modelFailures === 0 ? [] : [counted(modelFailures, 'failed model call')]),
    counted(toolCalls, 'tool call'),
    ...(files.length === 0 ? [] : [`${counted(files.length, 'file')} changed`]),
    `${counted(inputTokens, 'token')} read, ${outputTokens.toLocaleString('en')} written`,
    ...(cost === null ? [] : [`cost ${cost.toFixed(4)}`]),
    counted(events, 'event'),
  ].join(', ');
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Tally = Writable<Omit<Account, 'created' | 'end' | 'files' | 'answer'>> & {
  readonly files: Set<string>;
};

function newTally(): Tally {
  return {
    events: 0,
    lastAt: null,
    goal: null,
    steps: 0,
    modelFailures: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: null,
    files: new Set(),
    verdict: null,
    error: null,
  };
}

function count(tally: Tally, { seq, event, after }: Walked): void {
  tally.events += 1;
  tally.lastAt = event.at;
  countEvent(tally, event);
  for (const note of after.notes) {
    if (note.type === 'verdict' && endsTurn(note.verdict.response))
      tally.verdict = { seq, verdict: note.verdict };
  }
  if (event.type === 'verdict-reached' && endsTurn(event.verdict.response))
    tally.verdict = { seq, verdict: event.verdict };
  tally.error = after.actions.find(isError)?.message ?? tally.error;
}

function countEvent(tally: Tally, event: Event): void {
  const usage = usageOf(event);
  if (usage !== undefined) countUsage(tally, usage);
  switch (event.type) {
    case 'user-message':
      if (event.automatic !== true) tally.goal ??= event.text;
      tally.verdict = null;
      tally.error = null;
      return;
    case 'model-failed':
      tally.modelFailures += 1;
      return;
    case 'tool-finished':
      tally.toolCalls += 1;
      for (const { path } of event.files ?? []) tally.files.add(path);
      return;
    case 'model-replied':
      tally.steps += 1;
      return;
    default:
  }
}

function countUsage(tally: Tally, { inputTokens, outputTokens, cost }: Usage): void {
  tally.inputTokens += inputTokens;
  tally.outputTokens += outputTokens;
  if (cost !== undefined) tally.cost = (tally.cost ?? 0) + cost;
}

/** Whether what is done about a verdict ends the turn; milder ones only speak to the model. */
export function endsTurn({ kind }: Verdict['response']): boolean {
  return kind === 'finish' || kind === 'halt' || kind === 'ask';
}

function isError(action: Action): action is Extract<Action, { readonly type: 'show-error' }> {
  return action.type === 'show-error';
}
