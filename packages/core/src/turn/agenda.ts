import type { Verdict } from '../governor/verdict.ts';
import type {
  Agenda,
  Ask,
  AwaitingPermission,
  CallingModel,
  ErrorRecovery,
  ExecutingTools,
  Finish,
  Turn,
} from './state.ts';

export const emptyAgenda: Agenda = { phaseChanges: 0, failedPhase: null, verdict: null, finish: null };

/** An ordinary model call. Shared, so that asking for nothing special costs nothing. */
export const plainAsk: Ask = { advice: null, finish: null, agenda: emptyAgenda };

export function isEmpty(agenda: Agenda): boolean {
  return (
    agenda === emptyAgenda ||
    (agenda.phaseChanges === 0 &&
      agenda.verdict === null &&
      agenda.finish === null &&
      agenda.said === undefined)
  );
}

/** What a state keeps for the next check, wherever it keeps it. */
export function agendaOf(turn: Turn): Agenda {
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
      return agendaIn(turn);
    case 'paused':
      return agendaOf(turn.held);
    default:
      return turn satisfies never;
  }
}

function agendaIn(turn: ErrorRecovery): Agenda {
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

/** A milder verdict does not take the place of a graver one that still waits. */
export function withVerdict(agenda: Agenda, verdict: Verdict): Agenda {
  const { kind } = verdict.response;
  if (kind === 'finish') {
    return { ...agenda, verdict, finish: endOfSession(verdict) };
  }
  const waiting = agenda.verdict?.response.kind ?? 'advise';
  return gravity[kind] < gravity[waiting] ? agenda : { ...agenda, verdict };
}

/** The state with a verdict on its agenda. */
export function turnWithVerdict(turn: JudgedTurn, verdict: Verdict): JudgedTurn {
  if (turn.status !== 'callingModel') return { ...turn, agenda: withVerdict(turn.agenda, verdict) };
  const { ask } = turn;
  return { ...turn, ask: { ...ask, agenda: withVerdict(ask.agenda, verdict) } };
}

/** The states that the governor looks on in. */
type JudgedTurn = CallingModel | AwaitingPermission | ExecutingTools;

/** A last call, after which the session halts for this verdict. */
export function endOfSession({ reason, rule }: Verdict): Finish {
  return { reason, ends: 'session', rule, deadline: null };
}

const gravity = { advise: 0, refuse: 1, run: 2, recover: 3, ask: 4, finish: 5, halt: 6 } as const;
