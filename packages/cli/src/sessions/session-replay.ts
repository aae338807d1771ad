import { type Session, getConversation, findTurnAnswer } from '@pawl/core';
import {
  type ReplayedStep,
  addEventTotals,
  emptyOutcome,
  emptyTotals,
  updateOutcome,
  type SessionTotals,
  type TurnOutcome,
} from '@pawl/core/projections';
import { replaySteps } from '@pawl/runtime/logs';
import type { Store } from '@pawl/runtime/store';
import { formatCount } from '../output/format-number.ts';

export type SessionReplay = { readonly created: Session; readonly walked: AsyncIterable<ReplayedStep> };

/** Replays a session's log from the start, one event at a time. */
export async function openSessionReplay(store: Store, id: string, upTo = Infinity): Promise<SessionReplay> {
  const { session: created } = await store.open(id, { at: 0 });
  return { created, walked: replaySteps(created, store.events(id), upTo) };
}

/** What a session's log shows as a whole. */
export type SessionSurvey = {
  readonly created: Session;
  readonly end: Session;
  readonly totals: SessionTotals;
  readonly outcome: TurnOutcome;
  readonly answer: string | null;
};

/** Replays the whole log once; `onEvent` reports the progress. */
export async function surveySession(
  { created, walked }: SessionReplay,
  onEvent: (seq: number) => void = () => undefined,
): Promise<SessionSurvey> {
  let end = created;
  let totals = emptyTotals;
  let outcome = emptyOutcome;
  for await (const each of walked) {
    end = each.after.session;
    totals = addEventTotals(totals, each.event);
    outcome = updateOutcome(outcome, each);
    onEvent(each.seq);
  }
  return { created, end, totals, outcome, answer: findTurnAnswer(getConversation(end)) };
}

/** Formats the totals on one line. */
export function formatSessionTotals(totals: SessionTotals): string {
  const { replies, modelFailures, toolCalls, inputTokens, outputTokens, cost, events, files } = totals;
  return [
    formatCount(replies, 'step'),
    ...(modelFailures === 0 ? [] : [formatCount(modelFailures, 'failed model call')]),
    formatCount(toolCalls, 'tool call'),
    ...(files.length === 0 ? [] : [`${formatCount(files.length, 'file')} changed`]),
    `${formatCount(inputTokens, 'input token')}, ${formatCount(outputTokens, 'output token')}`,
    ...(cost === null ? [] : [`cost ${cost.toFixed(4)}`]),
    formatCount(events, 'event'),
  ].join(', ');
}
