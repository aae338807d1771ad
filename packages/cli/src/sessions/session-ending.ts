import type { TurnStatus } from '@pawl/core';
import {
  deriveSessionEnding,
  formatCall,
  formatOutcome,
  listTranscriptItems,
  type ReplayedStep,
  type SessionEnding,
} from '@pawl/core/projections';
import type { SessionSummary } from '@pawl/runtime/store';
import type { SessionSurvey } from './session-replay.ts';
import { formatCell, truncateColumns } from '../output/columns.ts';

/** How a session ended, or why it has not, in words. */
export type DescribedEnding = SessionEnding & { readonly reason: string };

export function describeSessionEnding({ end, outcome, answer }: SessionSurvey): DescribedEnding {
  const ending = deriveSessionEnding(end, outcome);
  const { how, reason } = ending;
  if (reason !== null) return { ...ending, reason };
  if (how === 'unfinished') return { ...ending, reason: `The session is ${formatStatus(end.turn.status)}.` };
  if (how === 'shut-down') return { ...ending, reason: 'The session was shut down.' };
  if (how === 'unused') return { ...ending, reason: 'No message was sent.' };
  return {
    ...ending,
    reason: answer === null ? 'The turn ended without an answer.' : 'The agent answered.',
  };
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

export function toEvidenceEntry(replayed: ReplayedStep): EvidenceEntry {
  const { seq, event } = replayed;
  for (const item of listTranscriptItems(replayed)) {
    if (item.kind === 'tool-result')
      return { seq, what: formatCall(item.call, item.callId), came: formatOutcome(item.outcome) };
    if (item.kind === 'reply') return { seq, what: 'reply', came: item.problem ?? item.text };
    if (item.kind === 'work-failure') return { seq, what: event.type, came: item.message };
  }
  return { seq, what: event.type, came: '' };
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
