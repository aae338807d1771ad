import type { Verdict } from '@pawl/governor';
import type { ToolCall } from '../conversation/message.ts';
import { findTurnAnswer, getConversation, getUnpausedTurn } from '../session/session-status.ts';
import type { Session } from '../session/session.ts';
import type { TurnStatus } from '../session/turn-state.ts';
import { listVerdicts } from './decisions.ts';
import type { ReplayedStep } from './replayed-step.ts';

/** What decides how the current turn ends, as far as the log tells. */
export type TurnOutcome = {
  /** The last verdict whose response ends a turn, and its event. */
  readonly verdict: { readonly seq: number; readonly verdict: Verdict } | null;
  /** The last error shown since the last user message. */
  readonly error: string | null;
};

export const emptyOutcome: TurnOutcome = { verdict: null, error: null };

/** Returns the outcome after one more step; a user message starts another turn. */
export function updateOutcome(outcome: TurnOutcome, replayed: ReplayedStep): TurnOutcome {
  const { seq, event, after } = replayed;
  const current = event.type === 'user-message' ? emptyOutcome : outcome;
  const verdict = listVerdicts(replayed).findLast(({ response }) => isTurnEndingResponse(response));
  const error = after.actions.find((action) => action.type === 'show-error');
  if (verdict === undefined && error === undefined) return current;
  return {
    verdict: verdict === undefined ? current.verdict : { seq, verdict },
    error: error?.message ?? current.error,
  };
}

/** Returns whether a verdict's response ends the turn; milder responses only advise the model. */
export function isTurnEndingResponse({ kind }: Verdict['response']): boolean {
  return kind === 'stop' || kind === 'halt' || kind === 'ask';
}

/** How a session ended, or that it has not, with the evidence. */
export type SessionEnding = {
  readonly how: 'answered' | 'stuck' | 'budget' | 'halted' | 'failed' | 'shut-down' | 'unfinished' | 'unused';
  /** Null if nothing is known besides `how`; an unfinished session has its status instead. */
  readonly reason: string | null;
  readonly rule: string | null;
  readonly advice: string | null;
  /** The event numbers of the evidence. */
  readonly evidence: readonly number[];
};

/** Derives how a session ended from its state and from the outcome of its last turn. */
export function deriveSessionEnding(session: Session, { verdict, error }: TurnOutcome): SessionEnding {
  const { turn } = session;
  const proof = getVerdictProof(verdict);
  switch (turn.status) {
    case 'halted': {
      const { kind, reason, rule } = turn.haltReason;
      const how = kind === 'stuck' || kind === 'budget' ? kind : 'halted';
      return rule !== null && rule === proof.rule
        ? { how, reason, ...proof }
        : { how, reason, ...noProof, rule };
    }
    case 'shuttingDown':
      return { how: 'shut-down', reason: null, ...noProof };
    case 'waitingForUser':
      return deriveTurnEnding(session, { verdict, error });
    default:
      return { how: 'unfinished', reason: null, ...noProof };
  }
}

function deriveTurnEnding(session: Session, { verdict, error }: TurnOutcome): SessionEnding {
  if (verdict !== null) {
    const { rule, reason } = verdict.verdict;
    return { how: rule === 'budget' ? 'budget' : 'stuck', reason, ...getVerdictProof(verdict) };
  }
  if (error !== null && findTurnAnswer(getConversation(session)) === null)
    return { how: 'failed', reason: error, ...noProof };
  return { how: session.seq === 0 ? 'unused' : 'answered', reason: null, ...noProof };
}

const noProof = { rule: null, advice: null, evidence: [] } as const;

function getVerdictProof(
  verdict: TurnOutcome['verdict'],
): Pick<SessionEnding, 'rule' | 'advice' | 'evidence'> {
  if (verdict === null) return noProof;
  const { rule, advice, evidence } = verdict.verdict;
  return { rule, advice, evidence };
}

/** Lists the tool calls that wait for approval, also while the session is paused. */
export function listPendingApprovals({ turn }: Pick<Session, 'turn'>): readonly ToolCall[] {
  const unpaused = getUnpausedTurn(turn);
  if (unpaused.status !== 'awaitingPermission') return [];
  return unpaused.calls.flatMap(({ decision, call }) => (decision === 'pending' ? [call] : []));
}

/** The statuses in which a session waits for a person or has ended, so that it does no work of its own. */
export const restingStatuses: ReadonlySet<TurnStatus> = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
  'halted',
  'shuttingDown',
]);
