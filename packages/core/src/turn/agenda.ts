import type { Verdict } from '@pawl/governor';
import type {
  TurnAgenda,
  ModelCallIntent,
  AwaitingPermission,
  CallingModel,
  ErrorRecovery,
  ExecutingTools,
  FinishRequest,
  TurnState,
} from './state.ts';

export const emptyAgenda: TurnAgenda = { phaseChanges: 0, failedPhase: null, verdict: null, finish: null };

/** An ordinary model call; shared to avoid an allocation. */
export const plainCallIntent: ModelCallIntent = { advice: null, finish: null, agenda: emptyAgenda };

export function isAgendaEmpty(agenda: TurnAgenda): boolean {
  return (
    agenda === emptyAgenda ||
    (agenda.phaseChanges === 0 &&
      agenda.verdict === null &&
      agenda.finish === null &&
      agenda.said === undefined)
  );
}

/** Returns the agenda of a state. */
export function getAgenda(turn: TurnState): TurnAgenda {
  switch (turn.status) {
    case 'waitingForUser':
    case 'halted':
    case 'shuttingDown':
      return emptyAgenda;
    case 'callingModel':
      return turn.ask.agenda;
    case 'awaitingPermission':
    case 'executingTools':
      return turn.agenda;
    case 'postToolsHook':
      return turn.work.agenda;
    case 'paging':
      return turn.work.ask.agenda;
    case 'errorRecovery':
      return getRecoveryAgenda(turn);
    case 'paused':
      return getAgenda(turn.held);
    default:
      return turn satisfies never;
  }
}

function getRecoveryAgenda(turn: ErrorRecovery): TurnAgenda {
  switch (turn.origin) {
    case 'model':
      return turn.ask.agenda;
    case 'tool':
      return turn.agenda;
    case 'io':
      return turn.work.kind === 'hooks' ? turn.work.hooks.agenda : turn.work.paging.ask.agenda;
    default:
      return turn satisfies never;
  }
}

/** Adds a verdict unless a more severe one is already pending. */
export function addVerdict(agenda: TurnAgenda, verdict: Verdict): TurnAgenda {
  const { kind } = verdict.response;
  if (kind === 'finish') {
    return { ...agenda, verdict, finish: createSessionFinish(verdict) };
  }
  const pendingKind = agenda.verdict?.response.kind ?? 'advise';
  return responseRanks[kind] < responseRanks[pendingKind] ? agenda : { ...agenda, verdict };
}

/** Returns the state with a verdict added to its agenda. */
export function addTurnVerdict(turn: JudgedTurn, verdict: Verdict): JudgedTurn {
  if (turn.status !== 'callingModel') return { ...turn, agenda: addVerdict(turn.agenda, verdict) };
  const { ask } = turn;
  return { ...turn, ask: { ...ask, agenda: addVerdict(ask.agenda, verdict) } };
}

/** The states in which the governor judges the work. */
type JudgedTurn = CallingModel | AwaitingPermission | ExecutingTools;

/** Requests a last model call, after which the session halts because of this verdict. */
export function createSessionFinish({ reason, rule }: Verdict): FinishRequest {
  return { reason, ends: 'session', rule, deadline: null };
}

const responseRanks = { advise: 0, refuse: 1, run: 2, recover: 3, ask: 4, finish: 5, halt: 6 } as const;
