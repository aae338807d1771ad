import {
  getConversation,
  getEventUsage,
  type Action,
  type Event,
  type Session,
  type TokenUsage,
  type Verdict,
} from '@pawl/core';
import { findTurnAnswer } from '@pawl/runtime';
import type { SessionReplay, ReplayedEvent } from './session-replay.ts';
import { formatCount } from '../output/format-number.ts';

/** The totals of a session, computed from its log. */
export type SessionTotals = {
  readonly created: Session;
  readonly end: Session;
  readonly events: number;
  /** The time of the last event; null if there is none. */
  readonly lastAt: number | null;
  /** The first user message. */
  readonly goal: string | null;
  /** Model replies; `modelFailures` counts requests without a reply. */
  readonly steps: number;
  readonly modelFailures: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null if no reply reported a cost. */
  readonly cost: number | null;
  /** Paths of the files that tools reported as changed. */
  readonly files: readonly string[];
  /** The verdict that ended the last turn, if any. */
  readonly verdict: { readonly seq: number; readonly verdict: Verdict } | null;
  /** The last error shown since the last user message. */
  readonly error: string | null;
  readonly answer: string | null;
};

/** Replays the whole log once; `onEvent` reports the progress. */
export async function computeSessionTotals(
  { created, walked }: SessionReplay,
  onEvent: (seq: number) => void = () => undefined,
): Promise<SessionTotals> {
  const tally = createTotalsTally();
  let end = created;
  for await (const each of walked) {
    end = each.after.session;
    tallyReplayedEvent(tally, each);
    onEvent(each.seq);
  }
  const { files, ...counts } = tally;
  return {
    created,
    end,
    ...counts,
    files: [...files].toSorted(),
    answer: findTurnAnswer(getConversation(end)),
  };
}

/** Formats the totals on one line. */
export function formatSessionTotals(totals: SessionTotals): string {
  const { steps, modelFailures, toolCalls, inputTokens, outputTokens, cost, events, files } = totals;
  return [
    formatCount(steps, 'step'),
    ...(modelFailures === 0 ? [] : [formatCount(modelFailures, 'failed model call')]),
    formatCount(toolCalls, 'tool call'),
    ...(files.length === 0 ? [] : [`${formatCount(files.length, 'file')} changed`]),
    `${formatCount(inputTokens, 'input token')}, ${formatCount(outputTokens, 'output token')}`,
    ...(cost === null ? [] : [`cost ${cost.toFixed(4)}`]),
    formatCount(events, 'event'),
  ].join(', ');
}

type MutableProps<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type TotalsTally = MutableProps<Omit<SessionTotals, 'created' | 'end' | 'files' | 'answer'>> & {
  readonly files: Set<string>;
};

function createTotalsTally(): TotalsTally {
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

function tallyReplayedEvent(tally: TotalsTally, { seq, event, after }: ReplayedEvent): void {
  tally.events += 1;
  tally.lastAt = event.at;
  tallyTotalsEvent(tally, event);
  for (const note of after.notes) {
    if (note.type === 'verdict' && isTurnEndingResponse(note.verdict.response))
      tally.verdict = { seq, verdict: note.verdict };
  }
  if (event.type === 'verdict-reached' && isTurnEndingResponse(event.verdict.response))
    tally.verdict = { seq, verdict: event.verdict };
  tally.error = after.actions.find(isShowErrorAction)?.message ?? tally.error;
}

function tallyTotalsEvent(tally: TotalsTally, event: Event): void {
  const usage = getEventUsage(event);
  if (usage !== undefined) tallyTotalsUsage(tally, usage);
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

function tallyTotalsUsage(tally: TotalsTally, { inputTokens, outputTokens, cost }: TokenUsage): void {
  tally.inputTokens += inputTokens;
  tally.outputTokens += outputTokens;
  if (cost !== undefined) tally.cost = (tally.cost ?? 0) + cost;
}

/** Returns whether a verdict's response ends the turn; milder responses only advise the model. */
export function isTurnEndingResponse({ kind }: Verdict['response']): boolean {
  return kind === 'stop' || kind === 'halt' || kind === 'ask';
}

function isShowErrorAction(action: Action): action is Extract<Action, { readonly type: 'show-error' }> {
  return action.type === 'show-error';
}
