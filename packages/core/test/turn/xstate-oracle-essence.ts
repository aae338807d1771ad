import type { Session } from '../../src/session/session.ts';
import type { SessionSettings } from '../../src/session/settings.ts';
import type {
  TurnAgenda,
  ModelCallIntent,
  ErrorRecovery,
  CallExecution,
  TurnState,
} from '../../src/session/turn-state.ts';

/**
 * All of a session that decides what it will do: not its history, its clock, its request numbers or its words. Two
 * sessions in the same place of the chart must have the same, whichever way each of them came.
 */
export function serializeEssence({ turn, phases, governor, settings }: Session): string {
  const isOver =
    turn.status === 'shuttingDown' || (turn.status === 'halted' && turn.haltReason.kind === 'requested');
  // A message resets the recoveries.
  const recoveries = turn.status === 'halted' ? 0 : governor.recoveries;
  const lasting = isOver ? null : [recoveries, phases.current !== null];
  return JSON.stringify([lasting, getTurnEssence(turn, settings)]);
}

function getTurnEssence(turn: TurnState, settings: SessionSettings): readonly unknown[] {
  switch (turn.status) {
    case 'waitingForUser':
    case 'shuttingDown':
      return [turn.status];
    case 'halted':
      return [turn.status, turn.haltReason.kind === 'requested'];
    case 'callingModel':
      return [turn.status, turn.retries, getIntentEssence(turn.ask)];
    case 'awaitingPermission': {
      const calls = turn.calls.map(({ call, decision }) => [call.id, call.tool, decision]);
      return [turn.status, calls, getAgendaEssence(turn.agenda)];
    }
    case 'executingTools':
      return [turn.status, getExecutionsEssence(turn.executions, settings), getAgendaEssence(turn.agenda)];
    case 'postToolsHook':
      return [turn.status, turn.retries, turn.work.next, getAgendaEssence(turn.work.agenda)];
    case 'paging':
      return [
        turn.status,
        turn.retries,
        turn.work.asking,
        turn.work.modelRetries,
        getIntentEssence(turn.work.ask),
      ];
    case 'errorRecovery':
      return getRecoveryEssence(turn);
    case 'paused':
      return [turn.status, getTurnEssence(turn.held, settings)];
    default:
      return turn satisfies never;
  }
}

function getRecoveryEssence(turn: ErrorRecovery): readonly unknown[] {
  switch (turn.origin) {
    case 'model':
      return [turn.status, turn.origin, turn.retries, getIntentEssence(turn.ask)];
    case 'tool':
      return [turn.status, turn.origin, getAgendaEssence(turn.agenda)];
    case 'io': {
      const { work } = turn;
      const waiting =
        work.kind === 'hooks'
          ? [work.hooks.next, getAgendaEssence(work.hooks.agenda)]
          : [work.paging.asking, work.paging.modelRetries, getIntentEssence(work.paging.ask)];
      return [turn.status, turn.origin, work.kind, turn.retries, ...waiting];
    }
    default:
      return turn satisfies never;
  }
}

/** Of the calls that are over, what counts is whether any changed something, and whether any said that all is done. */
function getExecutionsEssence(
  executions: readonly CallExecution[],
  settings: SessionSettings,
): readonly unknown[] {
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

function getIntentEssence({ finish, agenda }: ModelCallIntent): readonly unknown[] {
  return [finish?.ends ?? null, getAgendaEssence(agenda)];
}

function getAgendaEssence({
  phaseChanges,
  failedPhase,
  verdict,
  finish,
  steering: parts,
}: TurnAgenda): readonly unknown[] {
  return [phaseChanges, failedPhase, verdict?.response ?? null, finish?.ends ?? null, parts !== undefined];
}
