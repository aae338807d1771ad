import type { Event, EventOfType } from '../session/event.ts';
import { appendArrayItem } from '../conversation/conversation.ts';
import type { Note } from '../session/note.ts';
import { changePhases } from './change-phases.ts';
import type { Session } from '../session/session.ts';
import { addVerdict } from './apply-verdict.ts';
import { haltSession, refuseEvent } from './refuse-event.ts';
import { transitionTurn } from './transition-turn.ts';
import { waitActions } from '../session/action.ts';
import type { SessionStep } from '../session/session-step.ts';
import type { TurnAgenda, PausableTurn } from '../session/turn-state.ts';
import { createMemoryRow, type TurnRow, type TurnTarget } from './turn-table.ts';

type AgendaEvent = 'steered' | 'phase-started' | 'phase-completed' | 'verdict-reached' | 'finish-requested';

type PhaseChangeEvent = EventOfType<'phase-started'> | EventOfType<'phase-completed'>;

/** Replaces the agenda of a state. */
type AgendaSetter<State extends PausableTurn> = (turn: State, agenda: TurnAgenda) => State;

/**
 * Rows that put phase changes, verdicts, finish requests and steering on the agenda while work is in progress; the next
 * progress check processes them.
 */
export function createAgendaRows<State extends PausableTurn>(
  name: State['status'],
  readAgenda: (turn: State) => TurnAgenda,
  writeAgenda: AgendaSetter<State>,
): {
  readonly [Type in AgendaEvent | 'memory-command-requested']: TurnRow<State, Type>;
} {
  const updateAgenda = (
    session: Session,
    turn: State,
    event: Event,
    change: Partial<TurnAgenda>,
  ): SessionStep =>
    transitionTurn(session, event, {
      to: writeAgenda(turn, { ...readAgenda(turn), ...change }),
      actions: waitActions,
    });
  const handlePhaseChange = (session: Session, turn: State, event: PhaseChangeEvent): SessionStep => {
    const { phaseChanges, failedPhase } = readAgenda(turn);
    const after = changePhases(session, event);
    const step = updateAgenda(after.session, turn, event, {
      phaseChanges: phaseChanges + 1,
      failedPhase: after.failedPhase ?? failedPhase,
    });
    return prependStepNotes(step, after.notes);
  };
  const stay: readonly TurnTarget[] = [['', name, 'wait']];
  return {
    steered: {
      to: stay,
      handle: (session, turn, event) =>
        updateAgenda(session, turn, event, {
          steering: appendArrayItem(readAgenda(turn).steering ?? [], event.text),
        }),
    },
    'phase-started': {
      to: [['has no message', name, 'wait']],
      handle: (session, turn, event) =>
        event.message === undefined
          ? handlePhaseChange(session, turn, event)
          : refuseEvent(
              session,
              turn,
              event,
              'a phase can start with a message only while the session waits for the user',
            ),
    },
    'phase-completed': { to: stay, handle: handlePhaseChange },
    'verdict-reached': {
      to: [['verdict is halt', 'halted', 'abort', 'stop'], ...stay],
      handle: (session, turn, event) => {
        if (event.verdict.response.kind === 'halt') return haltOnVerdict(session, turn, event);
        const step = updateAgenda(session, turn, event, addVerdict(readAgenda(turn), event.verdict));
        return prependStepNotes(step, [createVerdictNote(event)]);
      },
    },
    'finish-requested': {
      to: stay,
      handle: (session, turn, event) => {
        // A request to finish the turn must not override a pending end of the session.
        const { finish } = readAgenda(turn);
        const turnFinish = { reason: event.reason, ends: 'turn', rule: null, deadline: null } as const;
        return updateAgenda(session, turn, event, {
          finish: finish?.ends === 'session' ? finish : turnFinish,
        });
      },
    },
    ...createMemoryRow(name),
  };
}

/** Halts the session because of a verdict reported as an event. */
export function haltOnVerdict(
  session: Session,
  turn: PausableTurn,
  event: EventOfType<'verdict-reached'>,
): SessionStep {
  const { reason, rule } = event.verdict;
  const step = haltSession(session, turn, event, { kind: 'stuck', reason, rule });
  return prependStepNotes(step, [createVerdictNote(event)]);
}

function prependStepNotes(step: SessionStep, notes: readonly Note[]): SessionStep {
  return { ...step, notes: [...notes, ...step.notes] };
}

function createVerdictNote(event: EventOfType<'verdict-reached'>): Note {
  return { type: 'verdict', at: event.at, verdict: event.verdict };
}
