import type { TurnStatus } from '@pawl/core';
import type { SessionSummary } from '@pawl/runtime/store';
import type { SessionTotals } from './session-totals.ts';
import { formatCall, findExecution, formatOutcome } from './session-timeline.ts';
import type { ReplayedEvent } from './session-replay.ts';
import { formatCell, truncateColumns } from './columns.ts';

/** How a session ended, or why it has not, with the evidence. */
export type SessionEnding = {
  readonly how: 'answered' | 'stuck' | 'budget' | 'halted' | 'failed' | 'shut-down' | 'unfinished' | 'unused';
  readonly reason: string;
  readonly rule: string | null;
  readonly advice: string | null;
  /** The event numbers of the evidence. */
  readonly evidence: readonly number[];
};

export function deriveSessionEnding(totals: SessionTotals): SessionEnding {
  const { turn } = totals.end;
  switch (turn.status) {
    case 'halted': {
      const { kind, reason, rule } = turn.why;
      const proof = getVerdictEvidence(totals);
      const how = kind === 'stuck' || kind === 'budget' ? kind : 'halted';
      return rule !== null && rule === proof.rule
        ? { how, reason, ...proof }
        : { how, reason, ...noEvidence, rule };
    }
    case 'shuttingDown':
      return { how: 'shut-down', reason: 'The session was shut down.', ...noEvidence };
    case 'waitingForUser':
      return deriveTurnEnding(totals);
    default:
      return { how: 'unfinished', reason: `The session is ${formatStatus(turn.status)}.`, ...noEvidence };
  }
}

const noEvidence = { rule: null, advice: null, evidence: [] } as const;

function getVerdictEvidence({ verdict }: SessionTotals): Pick<SessionEnding, 'rule' | 'advice' | 'evidence'> {
  if (verdict === null) return noEvidence;
  const { rule, advice, evidence } = verdict.verdict;
  return { rule, advice, evidence };
}

/** Derives the ending of the last turn. */
function deriveTurnEnding(totals: SessionTotals): SessionEnding {
  const { verdict, answer, error, events } = totals;
  if (verdict !== null) {
    const how = verdict.verdict.rule === 'budget' ? 'budget' : 'stuck';
    return { how, reason: verdict.verdict.reason, ...getVerdictEvidence(totals) };
  }
  if (answer !== null) return { how: 'answered', reason: 'The agent answered.', ...noEvidence };
  if (error !== null) return { how: 'failed', reason: error, ...noEvidence };
  return events === 0
    ? { how: 'unused', reason: 'No message was sent.', ...noEvidence }
    : { how: 'answered', reason: 'The turn ended without an answer.', ...noEvidence };
}

const statusDescriptions: Record<TurnStatus, string> = {
  waitingForUser: 'waiting for the user',
  callingModel: 'calling the model',
  processingResponse: 'processing a reply',
  awaitingPermission: 'waiting for permission',
  executingTools: 'running tools',
  postToolsHook: 'running hooks',
  progressCheck: 'checking progress',
  phaseTransition: 'changing phase',
  errorRecovery: 'recovering from an error',
  paging: 'compacting memory',
  paused: 'paused',
  halted: 'halted',
  shuttingDown: 'shut down',
};

export function formatStatus(status: SessionSummary['status']): string {
  return status === 'damaged' ? 'damaged' : statusDescriptions[status];
}

/** Returns whether a live process owns the session; a closed or damaged session is never running. */
export function isSessionRunning(
  { status }: { readonly status: SessionSummary['status'] },
  owner: 'alive' | 'gone' | 'unknown',
): boolean {
  return owner === 'alive' && status !== 'halted' && status !== 'shuttingDown' && status !== 'damaged';
}

/** An evidence event: its number, what was done, and the result. */
export type EvidenceEntry = { readonly seq: number; readonly what: string; readonly came: string };

export function toEvidenceEntry({ seq, event, before }: ReplayedEvent): EvidenceEntry {
  switch (event.type) {
    case 'tool-finished': {
      const call = findExecution(before.turn, event.callId)?.call;
      return { seq, what: formatCall(call, event.callId), came: formatOutcome(event.outcome) };
    }
    case 'model-replied':
      return { seq, what: 'reply', came: event.problem ?? event.text };
    default:
      return { seq, what: event.type, came: 'message' in event ? event.message : '' };
  }
}

/** Formats evidence events as a table: what was done, and the result. */
export function formatEvidenceTable(proof: readonly EvidenceEntry[], width: number): readonly string[] {
  const half = Math.max(10, Math.floor((width - 2 - 6 - 2 - 2) / 2));
  const row = (seq: string, what: string, came: string): string =>
    `  ${formatCell(seq, 6, 'right')}  ${formatCell(what, half)}  ${truncateColumns(came, half)}`.trimEnd();
  return [
    row('event', 'action', 'result'),
    ...proof.map(({ seq, what, came }) => row(String(seq), what, came)),
  ];
}
