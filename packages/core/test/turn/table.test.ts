import { describe, expect, it } from 'vitest';
import {
  eventTypes,
  getStepOutcome,
  type EventType,
  type Session,
  type SessionSettings,
  type TurnState,
} from '../../src/index.ts';
import { expectedMoves, type ExpectedRow } from '../helpers/expected-moves.ts';
import { expectedPausedMoves } from '../helpers/expected-moves-paused.ts';
import { eventSamples } from '../helpers/event-builders.ts';
import { getCurrentRequest, createSampleRun, sampleNames, type SampleName } from '../helpers/sample-runs.ts';
import {
  listActionTypes,
  getRefusalReason,
  createProfileSession,
  runEvents,
  type EventRun,
} from '../helpers/run-events.ts';

const expectedTable: { readonly [Name in SampleName]: ExpectedRow } = {
  ...expectedMoves,
  ...expectedPausedMoves,
};

const splitEventTypes = (cell: string): readonly string[] => cell.trim().split(/\s+/);

function findTableCell(name: SampleName, type: EventType): string {
  const match = Object.entries(expectedTable[name]).find(([, events]) =>
    splitEventTypes(events).includes(type),
  );
  return match?.[0] ?? 'missing';
}

function createPolicySession(policy: SessionSettings['onInvalidEvent']): Session {
  return createProfileSession('pawl', { settings: { onInvalidEvent: policy } });
}

/** What a step did, in the words of the table. */
function describeStep(after: EventRun): string {
  if (getRefusalReason(after) !== undefined) return 'not taken';
  return `${after.session.turn.status}: ${listActionTypes(after).join(' ')}`;
}

const isRefusedCell = (cell: string): boolean => cell === 'refused' || cell === 'ignored';

const turnStatuses: { readonly [Status in TurnState['status']]: true } = {
  waitingForUser: true,
  callingModel: true,
  awaitingPermission: true,
  executingTools: true,
  postToolsHook: true,
  errorRecovery: true,
  paging: true,
  paused: true,
  halted: true,
  shuttingDown: true,
};

describe('the table of moves', () => {
  it('has one cell for every state and every event [LOOM-66, LOOM-90, LOOM-92]', () => {
    expect(Object.keys(expectedTable).toSorted()).toEqual(sampleNames.toSorted());
    for (const row of Object.values(expectedTable)) {
      expect(Object.values(row).flatMap(splitEventTypes).toSorted()).toEqual(eventTypes.toSorted());
    }
  });

  it('has a row for every state that is not transient', () => {
    const statuses = sampleNames.map(
      (name) => createSampleRun(createPolicySession('ignore'), name).session.turn.status,
    );
    expect([...new Set(statuses)].toSorted()).toEqual(Object.keys(turnStatuses).toSorted());
  });
});

describe.each(sampleNames)('in %s', (name) => {
  it('every event leads where the table says [LOOM-03, LOOM-66, LOOM-98, NEX-88]', () => {
    const before = createSampleRun(createPolicySession('ignore'), name);
    const match = eventTypes.map((type) => [type, describeStep(runEvents(before, eventSamples[type]))]);
    const expected = eventTypes.map((type) => {
      const cell = findTableCell(name, type);
      return [type, isRefusedCell(cell) ? 'not taken' : cell];
    });
    expect(Object.fromEntries(match)).toEqual(Object.fromEntries(expected));
  });

  it('an event that is not accepted changes nothing and returns a wait action [LOOM-58, LOOM-93, RX-03]', () => {
    const before = createSampleRun(createPolicySession('ignore'), name);
    for (const type of eventTypes.filter((each) => isRefusedCell(findTableCell(name, each)))) {
      const after = runEvents(before, eventSamples[type]);
      expect(after.session).toBe(before.session);
      expect(after.actions).toEqual([{ type: 'wait', until: null }]);
      expect(getStepOutcome(after)).toEqual({
        ok: false,
        state: before.session.turn.status,
        error: getRefusalReason(after),
      });
    }
  });

  it('a refused event is shown as an error if the profile says so [RX-03]', () => {
    const before = createSampleRun(createPolicySession('refuse'), name);
    for (const type of eventTypes.filter((each) => isRefusedCell(findTableCell(name, each)))) {
      const after = runEvents(before, eventSamples[type]);
      const expected = findTableCell(name, type) === 'refused' ? ['show-error', 'wait'] : ['wait'];
      expect([type, after.session === before.session]).toEqual([type, true]);
      expect([type, ...listActionTypes(after).filter((each) => isActionKeptPaused(name, each))]).toEqual([
        type,
        ...expected.filter((each) => isActionKeptPaused(name, each)),
      ]);
    }
  });
});

describe.each(sampleNames.filter((name) => 'refused' in expectedTable[name]))('in %s', (name) => {
  it('a refused event cancels the current work if the profile says so [RX-03]', () => {
    const before = createSampleRun(createPolicySession('reset'), name);
    for (const type of eventTypes.filter((each) => findTableCell(name, each) === 'refused')) {
      const after = runEvents(before, eventSamples[type]);
      expect([type, getRefusalReason(after)]).toEqual([type, expect.any(String)]);
      if (isEphemeralType(type) || name === 'waitingForUser') {
        expect([type, after.session]).toEqual([type, before.session]);
        continue;
      }
      expect([type, isIdleRun(after)]).toEqual([type, true]);
      const hasWork = getCurrentRequest(before) !== 0;
      expect([type, listActionTypes(after).includes('abort')]).toEqual([type, hasWork]);
    }
  });
});

const isEphemeralType = (type: EventType): boolean =>
  type === 'text-delta' || type === 'call-delta' || type === 'tool-progressed';

/** A paused session shows what its state held would show, and leaves out that it waits. */
const isActionKeptPaused = (name: SampleName, action: string): boolean =>
  !name.startsWith('paused') || action !== 'wait';

function isIdleRun({ session }: EventRun): boolean {
  const { turn } = session;
  return (
    turn.status === 'waitingForUser' || (turn.status === 'paused' && turn.held.status === 'waitingForUser')
  );
}
