import type { Event } from '../event.ts';
import { withAdded } from '../list.ts';
import type { Note } from '../note.ts';
import { changePhases } from '../phases/change.ts';
import type { Session } from '../session.ts';
import { withVerdict } from './agenda.ts';
import type { EventOf } from './handlers.ts';
import { halt } from './leave.ts';
import { justWait, move, type Step } from './move.ts';
import { refuseNow } from './refuse.ts';
import type { Agenda, Held } from './state.ts';

type PhaseEvent = EventOf<'phase-started'> | EventOf<'phase-completed'>;

/** How a state replaces its agenda. */
type Replace<State extends Held> = (turn: State, agenda: Agenda) => State;

/**
 * What happens to phases, verdicts, a wish to finish and a person's word while work is under way: they are kept for the next
 * check.
 */
export function agendaEvents<State extends Held>(
  agendaOf: (turn: State) => Agenda,
  replace: Replace<State>,
): {
  readonly steered: (session: Session, turn: State, event: EventOf<'steered'>) => Step;
  readonly 'phase-started': (session: Session, turn: State, event: EventOf<'phase-started'>) => Step;
  readonly 'phase-completed': (session: Session, turn: State, event: EventOf<'phase-completed'>) => Step;
  readonly 'verdict-reached': (session: Session, turn: State, event: EventOf<'verdict-reached'>) => Step;
  readonly 'finish-requested': (session: Session, turn: State, event: EventOf<'finish-requested'>) => Step;
} {
  const keep = (session: Session, turn: State, event: Event, change: Partial<Agenda>): Step =>
    move(session, event, { to: replace(turn, { ...agendaOf(turn), ...change }), actions: justWait });
  const phase = (session: Session, turn: State, event: PhaseEvent): Step => {
    const { phaseChanges, failedPhase } = agendaOf(turn);
    const after = changePhases(session, event);
    const step = keep(after.session, turn, event, {
      phaseChanges: phaseChanges + 1,
      failedPhase: after.failedPhase ?? failedPhase,
    });
    return noting(step, after.notes);
  };
  return {
    steered: (session, turn, event) =>
      keep(session, turn, event, { said: withAdded(agendaOf(turn).said ?? [], event.text) }),
    'phase-started': (session, turn, event) =>
      event.message === undefined
        ? phase(session, turn, event)
        : refuseNow(session, turn, event, 'a phase can bring a message only while waiting for the user'),
    'phase-completed': phase,
    'verdict-reached': (session, turn, event) => {
      if (event.verdict.response.kind === 'halt') return haltOnVerdict(session, turn, event);
      const step = keep(session, turn, event, withVerdict(agendaOf(turn), event.verdict));
      return noting(step, [verdictNote(event)]);
    },
    'finish-requested': (session, turn, event) => {
      // A session that is to end for good is not spared by a wish to end the turn.
      const { finish } = agendaOf(turn);
      const wish = { reason: event.reason, ends: 'turn', rule: null, deadline: null } as const;
      return keep(session, turn, event, { finish: finish?.ends === 'session' ? finish : wish });
    },
  };
}

export function haltOnVerdict(session: Session, turn: Held, event: EventOf<'verdict-reached'>): Step {
  const { reason, rule } = event.verdict;
  const step = halt(session, turn, event, { kind: 'stuck', reason, rule });
  return noting(step, [verdictNote(event)]);
}

function noting(step: Step, notes: readonly Note[]): Step {
  return { ...step, notes: [...notes, ...step.notes] };
}

function verdictNote(event: EventOf<'verdict-reached'>): Note {
  return { type: 'verdict', at: event.at, verdict: event.verdict };
}
