import { isJudgedOutcome } from '../conversation/message.ts';
import { logPatches, hasLogPatch } from '../log-version.ts';
import type { Event } from '../event.ts';
import { initialGovernor, type Session } from '../session.ts';
import { addTurnVerdict } from '../turn/agenda.ts';
import { isStaleAnswer } from '../turn/stale-answer.ts';
import type { ExecutingTools } from '../turn/state.ts';
import { createHaltEvent, createVerdictDraft, type StepDraft } from './step-draft.ts';
import { judgePermissionDecision } from './judge-denied-calls.ts';
import { judgeReply } from './judge-reply.ts';
import {
  createVerdict,
  type DetectorState,
  formatToolOutput,
  observeCall,
  type Rule,
  runDetector,
} from '@pawl/governor';
import { updateBlockedCalls } from './blocked-calls.ts';
import { observeSession } from './observe-session.ts';

/** Judges the events that show whether the work makes progress. */
export function reduceGovernor(session: Session, event: Event, rules: readonly Rule[]): StepDraft {
  const { turn } = session;
  switch (event.type) {
    case 'user-message':
      return turn.status === 'waitingForUser' ? resetGovernor(session, event) : { session, event, notes: [] };
    case 'tool-finished':
      if (turn.status === 'executingTools' && !isStaleAnswer(turn, event)) {
        return judgeToolResult(session, turn, event, rules);
      }
      break;
    case 'model-replied':
      if (turn.status === 'callingModel' && !isStaleAnswer(turn, event)) {
        return judgeReply(session, turn, event, rules);
      }
      break;
    case 'permission-decided':
      return judgePermissionDecision(session, event, rules);
    case 'paging-finished':
      return judgePaging(session, event, rules);
    default:
  }
  return { session, event, notes: [] };
}

/** A user message resets the governor: earlier calls no longer count. */
function resetGovernor(session: Session, event: Extract<Event, { type: 'user-message' }>): StepDraft {
  if (event.automatic === true || session.governor === initialGovernor) return { session, event, notes: [] };
  return { session: { ...session, governor: initialGovernor }, event, notes: [] };
}

function judgeToolResult(
  session: Session,
  turn: ExecutingTools,
  event: Extract<Event, { type: 'tool-finished' }>,
  rules: readonly Rule[],
): StepDraft {
  const execution = turn.executions.find((each) => each.call.id === event.callId);
  const { outcome } = event;
  const kind = outcome.ok ? undefined : outcome.error.kind;
  if (
    execution === undefined ||
    execution.status === 'completed' ||
    !(isJudgedOutcome(kind) || kind === 'invalid')
  ) {
    return { session, event, notes: [] };
  }
  const seq = session.seq + 1;
  const { tool, args } = execution.call;
  const output = outcome.ok ? formatToolOutput(outcome.output) : outcome.error.message;
  const sighting =
    kind === 'invalid'
      ? ({ kind: 'decision', seq, request: turn.request } as const)
      : observeCall({ seq, at: event.at, tool, args, ok: outcome.ok, output, files: event.files });
  const judged = runDetector(session.governor.watch, sighting, rules);
  const governor = {
    ...session.governor,
    watch: judged.state,
    refused:
      sighting.kind === 'decision'
        ? session.governor.refused
        : updateBlockedCalls(session.governor, sighting, judged.match),
  };
  const governed = { ...session, governor };
  if (judged.match === null) return { session: governed, event, notes: [] };
  const failure = outcome.ok ? null : { args, errorText: output, tools: listWorkingTools(judged.state) };
  const verdict = createVerdict(judged.match, session.settings.governor, failure);
  return createVerdictDraft({ ...governed, turn: addTurnVerdict(turn, verdict) }, event, verdict);
}

function listWorkingTools({ seen }: DetectorState): ReadonlySet<string> {
  return new Set(seen.work.filter(({ error }) => error === null).map(({ tool }) => tool));
}

/** Judges a paging attempt. Repeated fruitless paging halts the session if a model call is waiting for room. */
function judgePaging(
  session: Session,
  event: Extract<Event, { type: 'paging-finished' }>,
  rules: readonly Rule[],
): StepDraft {
  const { turn } = session;
  if (turn.status !== 'paging' || isStaleAnswer(turn, event)) return { session, event, notes: [] };
  const { asking, modelRetries } = turn.work;
  const fruitless = hasFreedLittle(session, event) || (asking && modelRetries > 1);
  const sighting = { kind: 'paging', seq: session.seq + 1, fruitless } as const;
  const { session: governed, verdict } = observeSession(session, sighting, rules);
  if (verdict === null) return { session: governed, event, notes: [] };
  const isOver = verdict.response.kind === 'finish' && asking;
  return isOver
    ? { session: governed, event: createHaltEvent(verdict, event.at), notes: [] }
    : createVerdictDraft(governed, event, verdict);
}

/** Minimum share of the held tokens that paging must free to count as successful. */
const freedShareMin = 0.1;

/** With nothing held nothing can be freed, so such a paging attempt failed. */
function hasFreedLittle(
  session: Session,
  { freedTokens, heldTokens }: Extract<Event, { type: 'paging-finished' }>,
): boolean {
  if (heldTokens === undefined) return freedTokens <= 0;
  const isNothing = freedTokens <= 0 && hasLogPatch(session, logPatches.countsAreFair);
  return isNothing || freedTokens < heldTokens * freedShareMin;
}
