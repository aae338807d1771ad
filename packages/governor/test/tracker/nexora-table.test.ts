import { describe, expect, it } from 'vitest';
import type { NexoraState } from '../../src/tracker/nexora.ts';
import { createObservedTracker, type ObservedTracker } from './observed-tracker.ts';

/** Which state may follow which, one line for each state. */
const nexoraTable: { readonly [State in NexoraState]: string } = {
  Idle: 'ProcessingPrompt PhaseTransition Halted',
  ProcessingPrompt: 'StreamingResponse ErrorRecovery Halted ProcessingPrompt',
  StreamingResponse: 'ExecutingTool AwaitingPermission ProgressCheck Idle ErrorRecovery Halted',
  ExecutingTool: 'StreamingResponse ProgressCheck ErrorRecovery Halted',
  AwaitingPermission: 'StreamingResponse ExecutingTool Idle Halted',
  ErrorRecovery: 'StreamingResponse ExecutingTool ProgressCheck Idle Halted',
  PhaseTransition: 'ProcessingPrompt ProgressCheck PhaseTransition Idle Halted',
  ProgressCheck: 'StreamingResponse ExecutingTool PhaseTransition ErrorRecovery Idle Halted',
  Halted: '',
};
const nexoraStateNames = Object.keys(nexoraTable) as NexoraState[];
const listExpectedSuccessors = (state: NexoraState): readonly string[] =>
  nexoraTable[state].split(' ').filter(Boolean);

const pathsToState: { readonly [State in NexoraState]: readonly NexoraState[] } = {
  Idle: [],
  ProcessingPrompt: ['ProcessingPrompt'],
  StreamingResponse: ['ProcessingPrompt', 'StreamingResponse'],
  ExecutingTool: ['ProcessingPrompt', 'StreamingResponse', 'ExecutingTool'],
  AwaitingPermission: ['ProcessingPrompt', 'StreamingResponse', 'AwaitingPermission'],
  ErrorRecovery: ['ProcessingPrompt', 'ErrorRecovery'],
  ProgressCheck: ['PhaseTransition', 'ProgressCheck'],
  PhaseTransition: ['PhaseTransition'],
  Halted: ['Halted'],
};

function createTrackerInState(state: NexoraState): ObservedTracker<'nexora'> {
  const { tracker, clock, log: told } = createObservedTracker('nexora');
  for (const each of pathsToState[state]) tracker.transitionTo(each);
  told.length = 0;
  return { tracker, clock, log: told };
}

const nexoraTableCells = nexoraStateNames.flatMap((from) =>
  nexoraStateNames.map((to) => ({ from, to, valid: listExpectedSuccessors(from).includes(to) })),
);

describe('the table of states', () => {
  it('has nine states, and one of them is the end [NEX-46..55, RN-11]', () => {
    expect(nexoraStateNames).toHaveLength(9);
    for (const state of nexoraStateNames) {
      const { tracker } = createTrackerInState(state);
      expect(tracker.state).toBe(state);
      expect(tracker.nextStates()).toEqual(listExpectedSuccessors(state));
      expect(tracker.allowedActions()).toEqual(state === 'Halted' ? [] : ['*']);
    }
  });

  it.each(nexoraTableCells.filter(({ valid }) => valid))(
    'lets $to follow $from [NEX-08..14, NEX-17, NEX-19, NEX-88, RN-09..11]',
    ({ from, to }) => {
      const { tracker, log: told } = createTrackerInState(from);
      expect(tracker.transitionTo(to)).toEqual({ ok: true, state: to, error: null });
      expect(tracker.state).toBe(to);
      expect(told).toEqual([`${from} → ${to}`]);
    },
  );

  it.each(nexoraTableCells.filter(({ valid }) => !valid))(
    'rejects $to after $from with a reason, and does not throw [NEX-19, NEX-88, RX-03]',
    ({ from, to }) => {
      const { tracker, log: told } = createTrackerInState(from);
      const before = JSON.stringify(tracker);
      const { ok, state, error } = tracker.transitionTo(to);
      expect({ ok, state }).toEqual({ ok: false, state: from });
      expect(error).toContain(`${to} cannot follow ${from}`);
      expect(told).toEqual([]);
      expect(JSON.stringify(tracker)).toBe(before);
    },
  );

  it('rejects an unknown state [RX-03]', () => {
    const { tracker } = createTrackerInState('Idle');
    for (const name of ['ResourcePaused', 'toString', '__proto__', '']) {
      const result = tracker.transitionTo(name as NexoraState);
      expect(result).toMatchObject({ ok: false, state: 'Idle' });
      expect(result.error).toContain('there is no state');
    }
  });
});
