import type { Session } from '../../src/session.ts';
import type { Settings } from '../../src/settings.ts';
import type { Agenda, Ask, ErrorRecovery, Execution, Turn } from '../../src/turn/state.ts';

/**
 * All of a session that decides what it will do: not its history, its clock, its request numbers or its words. Two
 * sessions in the same place of the chart must have the same, whichever way each of them came.
 */
export function essenceOf({ turn, phases, governor, settings }: Session): string {
  const isOver = turn.status === 'halted' || turn.status === 'shuttingDown';
  const lasting = isOver ? null : [governor.recoveries, phases.current !== null];
  return JSON.stringify([lasting, ofTurn(turn, settings)]);
}

function ofTurn(turn: Turn, settings: Settings): readonly unknown[] {
  switch (turn.status) {
    case 'waitingForUser':
    case 'halted':
    case 'shuttingDown':
      return [turn.status];
    case 'callingModel':
      return [turn.status, turn.retries, ofAsk(turn.ask)];
    case 'awaitingPermission': {
      const calls = turn.calls.map(({ call, decision }) => [call.id, call.tool, decision]);
      return [turn.status, calls, ofAgenda(turn.agenda)];
    }
    case 'executingTools':
      return [turn.status, ofExecutions(turn.executions, settings), ofAgenda(turn.agenda)];
    case 'postToolsHook':
      return [turn.status, turn.retries, turn.work.next, ofAgenda(turn.work.agenda)];
    case 'paging':
      return [turn.status, turn.retries, turn.work.asking, turn.work.modelRetries, ofAsk(turn.work.ask)];
    case 'errorRecovery':
      return ofRecovery(turn);
    case 'paused':
      return [turn.status, ofTurn(turn.held, settings)];
    default:
      return turn satisfies never;
  }
}

function ofRecovery(turn: ErrorRecovery): readonly unknown[] {
  switch (turn.origin) {
    case 'model':
      return [turn.status, turn.origin, turn.retries, ofAsk(turn.ask)];
    case 'tool':
      return [turn.status, turn.origin, ofAgenda(turn.agenda)];
    case 'io': {
      const { work } = turn;
      const waiting =
        work.kind === 'hooks'
          ? [work.hooks.next, ofAgenda(work.hooks.agenda)]
          : [work.paging.asking, work.paging.modelRetries, ofAsk(work.paging.ask)];
      return [turn.status, turn.origin, work.kind, turn.retries, ...waiting];
    }
    default:
      return turn satisfies never;
  }
}

/** Of the calls that are over, what counts is whether any changed something, and whether any said that all is done. */
function ofExecutions(executions: readonly Execution[], settings: Settings): readonly unknown[] {
  const done = executions.flatMap((each) =>
    each.status === 'completed' && each.outcome.ok
      ? [{ tool: each.call.tool, final: each.outcome.final }]
      : [],
  );
  return [
    executions.map(({ call, status }) => [call.id, call.tool, status]),
    done.some(({ tool }) => settings.mutatingTools.includes(tool)),
    done.some(({ final }) => final === true),
  ];
}

function ofAsk({ finish, agenda }: Ask): readonly unknown[] {
  return [finish?.ends ?? null, ofAgenda(agenda)];
}

function ofAgenda({ phaseChanges, failedPhase, verdict, finish, said }: Agenda): readonly unknown[] {
  return [phaseChanges, failedPhase, verdict?.response ?? null, finish?.ends ?? null, said !== undefined];
}
