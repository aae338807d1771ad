import { isTerminal, type Session, type TurnStatus } from '@pawl/core';
import type { SessionSummary } from '@pawl/runtime';
import { cell, fit } from './audit-text.ts';
import type { Account } from './show-account.ts';
import { callText, executionOf, outcomeText } from './show-timeline.ts';
import type { Walked } from './show-walk.ts';

/** Why a session is where it is, and what proves it. */
export type Ending = {
  readonly how: 'answered' | 'stuck' | 'budget' | 'halted' | 'failed' | 'shut-down' | 'unfinished' | 'unused';
  readonly reason: string;
  readonly rule: string | null;
  readonly advice: string | null;
  /** The numbers of the events that prove it. */
  readonly evidence: readonly number[];
};

export function endingOf({ end, verdict, error, answer, events }: Account): Ending {
  const { turn } = end;
  const proof = {
    rule: verdict?.verdict.rule ?? null,
    advice: verdict?.verdict.advice ?? null,
    evidence: verdict?.verdict.evidence ?? [],
  };
  const none = { rule: null, advice: null, evidence: [] };
  if (turn.status === 'halted') {
    const { kind, reason, rule } = turn.why;
    const how = kind === 'stuck' || kind === 'budget' ? kind : 'halted';
    return rule !== null && rule === proof.rule ? { how, reason, ...proof } : { how, reason, ...none, rule };
  }
  if (turn.status === 'shuttingDown') return { how: 'shut-down', reason: 'It was shut down.', ...none };
  if (turn.status !== 'waitingForUser') {
    return { how: 'unfinished', reason: `It has not ended: ${statusText(turn.status)}.`, ...none };
  }
  if (verdict !== null) {
    const how = verdict.verdict.rule === 'budget' ? 'budget' : 'stuck';
    return { how, reason: verdict.verdict.reason, ...proof };
  }
  if (answer !== null) return { how: 'answered', reason: 'It gave its answer.', ...none };
  if (error !== null) return { how: 'failed', reason: error, ...none };
  return events === 0
    ? { how: 'unused', reason: 'Nothing was ever said to it.', ...none }
    : { how: 'answered', reason: 'It ended its turn without an answer.', ...none };
}

const statusTexts: Record<TurnStatus, string> = {
  waitingForUser: 'waits for the user',
  callingModel: 'asks the model',
  processingResponse: 'reads a reply',
  awaitingPermission: 'waits for permission',
  executingTools: 'runs tools',
  postToolsHook: 'runs hooks',
  progressCheck: 'checks progress',
  phaseTransition: 'changes phase',
  errorRecovery: 'recovers from an error',
  paging: 'makes room',
  paused: 'paused',
  halted: 'halted',
  shuttingDown: 'shut down',
};

export function statusText(status: SessionSummary['status']): string {
  return status === 'damaged' ? 'damaged' : statusTexts[status];
}

/** Whether a process that is still there has a session in hand. What has ended for good is in nobody's hand. */
export function isRunning(
  { status }: { readonly status: SessionSummary['status'] },
  owner: 'alive' | 'gone' | 'unknown',
): boolean {
  return owner === 'alive' && status !== 'halted' && status !== 'shuttingDown' && status !== 'damaged';
}

export function canGoOn(session: Session): boolean {
  return !isTerminal(session);
}

/** An event that proves something, in three short texts. */
export type Evidence = { readonly seq: number; readonly what: string; readonly came: string };

export function evidenceOf({ seq, event, before }: Walked): Evidence {
  switch (event.type) {
    case 'tool-finished': {
      const call = executionOf(before.turn, event.callId)?.call;
      return { seq, what: callText(call, event.callId), came: outcomeText(event.outcome) };
    }
    case 'model-replied':
      return { seq, what: 'reply', came: event.problem ?? event.text };
    default:
      return { seq, what: event.type, came: 'message' in event ? String(event.message) : '' };
  }
}

/** The events of a proof side by side: what was done, and what came of it. */
export function evidenceLines(proof: readonly Evidence[], width: number): readonly string[] {
  const half = Math.max(10, Math.floor((width - 2 - 6 - 2 - 2) / 2));
  const row = (seq: string, what: string, came: string): string =>
    `  ${cell(seq, 6, 'right')}  ${cell(what, half)}  ${fit(came, half)}`.trimEnd();
  return [
    row('event', 'what was done', 'what came of it'),
    ...proof.map(({ seq, what, came }) => row(String(seq), what, came)),
  ];
}
