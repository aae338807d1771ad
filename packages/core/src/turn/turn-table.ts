import { waitAction, waitActions, type ActionType, type Action } from '../session/action.ts';
import type { ChartMove, ChartState } from '../charts/chart.ts';
import { eventTypes, type Event, type EventOfType, type EventType } from '../session/event.ts';
import { applyMemoryCommand } from '../memory/apply-memory-action.ts';
import type { Note } from '../session/note.ts';
import type { Session } from '../session/session.ts';
import {
  cancelTurn,
  haltOnRequest,
  pauseTurn,
  shutDownTurn,
  ignoreEvent,
  refuseEvent,
  haltSession,
} from './refuse-event.ts';
import type { PausableTurn, TurnState, TurnStatus, TurnAgenda } from '../session/turn-state.ts';
import { transitionTurn } from './transition-turn.ts';
import type { SessionStep } from '../session/session-step.ts';
import { appendArrayItem } from '../conversation/conversation.ts';
import { changePhases, type PhaseChangeEvent } from './change-phases.ts';
import { addVerdict } from './apply-verdict.ts';

/*
 * The turn table. `eventStates` says in which states each event is valid; each state has a row for every such event,
 * with the function that handles it and where it may lead. `step` executes the rows, `turnChart` draws them, and every
 * other event is refused. A new event does not compile until it is listed here and every state named has a row for it;
 * a new state does not compile until `step` executes its rows.
 */

/** The states with work in progress. */
const workStates = [
  'callingModel',
  'awaitingPermission',
  'executingTools',
  'postToolsHook',
  'errorRecovery',
  'paging',
] as const;

const restingStates = ['waitingForUser', ...workStates] as const;

/** A paused session also applies every answer to the state it holds; see `reduceHeldTurn`. */
export const eventStates = {
  'user-message': ['waitingForUser', 'halted'],
  steered: [...restingStates, 'halted'],
  'text-delta': ['callingModel'],
  'call-delta': ['callingModel'],
  'model-replied': ['callingModel'],
  'model-failed': ['callingModel'],
  'permission-decided': ['awaitingPermission'],
  'tool-started': ['executingTools'],
  'tool-progressed': ['executingTools'],
  'tool-finished': ['executingTools'],
  'hooks-finished': ['postToolsHook'],
  'hooks-failed': ['postToolsHook'],
  'retry-due': ['errorRecovery'],
  'recovery-finished': ['errorRecovery'],
  'paging-requested': ['waitingForUser'],
  'paging-finished': ['paging'],
  'paging-failed': ['paging'],
  'memory-command-requested': restingStates,
  'phase-started': restingStates,
  'phase-completed': restingStates,
  'verdict-reached': restingStates,
  'finish-requested': workStates,
  'pause-requested': restingStates,
  'resume-requested': ['paused'],
  'cancel-requested': [...workStates, 'paused'],
  'halt-requested': [...restingStates, 'paused'],
  'shutdown-requested': [...restingStates, 'paused', 'halted', 'shuttingDown'],
} as const satisfies { readonly [Type in EventType]: readonly TurnState['status'][] };

/** The events that are valid in a state. */
type ValidEvent<Status extends TurnStatus> = {
  readonly [Type in EventType]: Status extends (typeof eventStates)[Type][number] ? Type : never;
}[EventType];

type EventHandler<State extends TurnState, Type extends EventType> = (
  session: Session,
  turn: State,
  event: EventOfType<Type>,
) => SessionStep;

/** A transition: a bare state, or a condition (empty for none), the state and the actions. */
export type TurnTarget = TurnStatus | readonly [guard: string, to: TurnStatus, ...actions: ActionType[]];

type TurnRow<State extends TurnState, Type extends EventType> = {
  readonly handle: EventHandler<State, Type>;
  /** In the order in which the conditions are checked; empty if the event is never accepted. */
  readonly to: readonly TurnTarget[];
};

/** The rows of a state: one for each event that is valid in it. */
export type TurnRows<State extends TurnState> = {
  readonly [Type in ValidEvent<State['status']>]: TurnRow<State, Type>;
};

export type TurnStateDefinition<State extends TurnState> = {
  readonly handlers: { readonly [Type in EventType]: EventHandler<State, Type> };
  readonly chart: ChartState;
};

/** Defines a state by its rows. `refusal` is the reason given for every other event. */
export function defineTurnState<State extends TurnState>(definition: {
  readonly name: State['status'];
  readonly kind?: ChartState['kind'];
  readonly description: string;
  readonly refusal: string;
  readonly on: TurnRows<State>;
}): TurnStateDefinition<State> {
  const { name, kind = 'waiting', description, refusal, on } = definition;
  // The policy for invalid events may reset the work, which a session that has ended must not do.
  const reject = kind === 'terminal' ? ignoreEvent : refuseEvent;
  const refuse = (session: Session, turn: TurnState, event: Event): SessionStep =>
    reject(session, turn, event, refusal);
  // The compiler cannot see that each row accepts the events under its own name.
  const rows = new Map(
    Object.entries(on as unknown as { readonly [type: string]: TurnRow<State, EventType> }),
  );
  const handlers = Object.fromEntries(eventTypes.map((type) => [type, rows.get(type)?.handle ?? refuse]));
  const transitions = [...rows].flatMap(([type, { to }]) => toChartMoves(type, to));
  return {
    handlers: handlers as TurnStateDefinition<State>['handlers'],
    chart: { name, kind, description, transitions },
  };
}

/** Describes a state that is passed through within one step: it has no events of its own. */
export function describeTransientState(
  name: TurnStatus,
  description: string,
  targets: readonly TurnTarget[],
): ChartState {
  return { name, kind: 'passing', description, transitions: toChartMoves(null, targets) };
}

function toChartMoves(on: string | null, targets: readonly TurnTarget[]): readonly ChartMove[] {
  return targets.map((target) => {
    if (typeof target === 'string') return { on, guard: null, to: target, actions: [] };
    const [guard, to, ...actions] = target;
    return { on, guard: guard === '' ? null : guard, to, actions };
  });
}

/** A failed phase that no progress check has processed yet still ends the session. */
export const failedPhaseTarget: TurnTarget = ['failed phase ends the session', 'halted', 'abort', 'stop'];
export const canceledTarget: TurnTarget = ['', 'waitingForUser', 'abort', 'wait'];

/** The rows that cancel, pause or end the work in progress. */
export const interruptionRows = {
  'cancel-requested': { handle: cancelTurn, to: [failedPhaseTarget, canceledTarget] },
  'pause-requested': { handle: pauseTurn, to: [['', 'paused', 'wait']] },
  'halt-requested': { handle: haltOnRequest, to: [['', 'halted', 'abort', 'stop']] },
  'shutdown-requested': { handle: shutDownTurn, to: [['', 'shuttingDown', 'shut-down']] },
} as const satisfies Partial<{ readonly [Type in EventType]: TurnRow<PausableTurn, Type> }>;

/** The same for a started tool round: canceling it still passes through a progress check. */
export const roundInterruptionRows = {
  ...interruptionRows,
  'cancel-requested': {
    handle: cancelTurn,
    to: [failedPhaseTarget, ['every round is checked', 'progressCheck', 'abort'], canceledTarget],
  },
} as const satisfies Partial<{ readonly [Type in EventType]: TurnRow<PausableTurn, Type> }>;

/** A memory command does not affect the work in progress. */
export function createMemoryRow(name: TurnStatus): {
  readonly 'memory-command-requested': TurnRow<TurnState, 'memory-command-requested'>;
} {
  return {
    'memory-command-requested': {
      handle: handleMemoryCommand,
      to: [
        ['an entry is sent to storage', name, 'store', 'wait'],
        ['an entry is pinned or unpinned', name, 'wait'],
      ],
    },
  };
}

/** Where the turn continues after a tool round, hooks included. */
export const afterToolsTargets: readonly TurnTarget[] = [
  ['progress is checked', 'progressCheck'],
  ['turn is done', 'waitingForUser', 'wait'],
  ['', 'callingModel', 'ask-model'],
];

/** Applies a user's memory command to one entry; the work in progress is not affected. */
function handleMemoryCommand(
  session: Session,
  turn: TurnState,
  event: EventOfType<'memory-command-requested'>,
): SessionStep {
  const { memory } = session;
  // Ignore instead of refuse: a missing key must not cancel the work under the `reset` policy.
  if (memory === null) return ignoreEvent(session, turn, event, 'this session has no working memory');
  const result = applyMemoryCommand(memory, event);
  if (!result.ok) return ignoreEvent(session, turn, event, result.reason);
  const { effects, moved, freed } = result;
  const notes: readonly Note[] =
    moved.length === 0 ? [] : [{ type: 'paged', at: event.at, moved, freedTokens: freed }];
  const store: readonly Action[] =
    effects.length === 0 ? [] : [{ type: 'store', entries: effects.map(({ entry }) => entry) }];
  const updated = { ...session, memory: result.memory };
  return transitionTurn(updated, event, { to: turn, actions: [...store, waitAction], notes });
}

type AgendaEvent = 'steered' | 'phase-started' | 'phase-completed' | 'verdict-reached' | 'finish-requested';

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
