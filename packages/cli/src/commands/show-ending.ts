import type { TurnStatus } from '@pawl/core';
import type { SessionSummary } from '@pawl/runtime';
import type { Account } from './show-account.ts';
import { callText, executionOf, outcomeText } from './show-timeline.ts';
import type { Walked } from './show-walk.ts';
import { cell, fit } from './columns.ts';

/** Why a session is where it is, and what proves it. */
export type Ending = {
  readonly how: 'answered' | 'stuck' | 'budget' | 'halted' | 'failed' | 'shut-down' | 'unfinished' | 'unused';
  readonly reason: string;
  readonly rule: string | null;
  readonly advice: string | null;
  /** The numbers of the events that prove it. */
  readonly evidence: readonly number[];
};

export function endingOf(account: Account): Ending {
  const { turn } = account.end;
  switch (turn.status) {
    case 'halted': {
      const { kind, reason, rule } = turn.why;
      const proof = proofOf(account);
      const how = kind === 'stuck' || kind === 'budget' ? kind : 'halted';
      return rule !== null && rule === proof.rule
        ? { how, reason, ...proof }
        : { how, reason, ...noProof, rule };
    }
    case 'shuttingDown':
      return { how: 'shut-down', reason: 'It was shut down.', ...noProof };
    case 'waitingForUser':
      return endOfTurn(account);
    default:
      return { how: 'unfinished', reason: `It ${statusText(turn.status)}.`, ...noProof };
  }
}

const noProof = { rule: null, advice: null, evidence: [] } as const;

function proofOf({ verdict }: Account): Pick<Ending, 'rule' | 'advice' | 'evidence'> {
  if (verdict === null) return noProof;
  const { rule, advice, evidence } = verdict.verdict;
  return { rule, advice, evidence };
}

/** What the last turn came to. */
function endOfTurn(account: Account): Ending {
  const { verdict, answer, error, events } = account;
  if (verdict !== null) {
    const how = verdict.verdict.rule === 'budget' ? 'budget' : 'stuck';
    return { how, reason: verdict.verdict.reason, ...proofOf(account) };
  }
  if (answer !== null) return { how: 'answered', reason: 'It gave its answer.', ...noProof };
  if (error !== null) return { how: 'failed', reason: error, ...noProof };
  return events === 0
    ? { how: 'unused', reason: 'Nothing was ever said to it.', ...noProof }
    : { how: 'answered', reason: 'It ended its turn without an answer.', ...noProof };
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
      return { seq, what: event.type, came: 'message' in event ? event.message : '' };
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
