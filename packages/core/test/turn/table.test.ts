import { describe, expect, it } from 'vitest';
import {
  eventTypes,
  taken,
  type EventType,
  type Session,
  type Settings,
  type Turn,
} from '../../src/index.ts';
import { expectedMoves, type Row } from '../helpers/expected-moves.ts';
import { expectedMovesPaused } from '../helpers/expected-moves-paused.ts';
import { oneOfEach } from '../helpers/happenings.ts';
import { requestOf, sample, sampleNames, type SampleName } from '../helpers/samples.ts';
import { actionTypes, refusal, sessionOf, tell, type Told } from '../helpers/tell.ts';

const table: { readonly [Name in SampleName]: Row } = { ...expectedMoves, ...expectedMovesPaused };

const eventsIn = (cell: string): readonly string[] => cell.trim().split(/\s+/);

function cellOf(name: SampleName, type: EventType): string {
  const found = Object.entries(table[name]).find(([, events]) => eventsIn(events).includes(type));
  return found?.[0] ?? 'missing';
}

function starting(policy: Settings['onInvalidEvent']): Session {
  return sessionOf('pawl', { settings: { onInvalidEvent: policy } });
}

/** What a step did, in the words of the table. */
function told(after: Told): string {
  if (refusal(after) !== undefined) return 'not taken';
  return `${after.session.turn.status}: ${actionTypes(after).join(' ')}`;
}

const isNotTaken = (cell: string): boolean => cell === 'refused' || cell === 'ignored';

const waitedIn: { readonly [Status in Turn['status']]: true } = {
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
    expect(Object.keys(table).toSorted()).toEqual(sampleNames.toSorted());
    for (const row of Object.values(table)) {
      expect(Object.values(row).flatMap(eventsIn).toSorted()).toEqual(eventTypes.toSorted());
    }
  });

  it('has a row for every state that can be waited in', () => {
    const statuses = sampleNames.map((name) => sample(starting('ignore'), name).session.turn.status);
    expect([...new Set(statuses)].toSorted()).toEqual(Object.keys(waitedIn).toSorted());
  });
});

describe.each(sampleNames)('in %s', (name) => {
  it('every event leads where the table says [LOOM-03, LOOM-66, LOOM-98, NEX-88]', () => {
    const before = sample(starting('ignore'), name);
    const found = eventTypes.map((type) => [type, told(tell(before, oneOfEach[type]))]);
    const expected = eventTypes.map((type) => {
      const cell = cellOf(name, type);
      return [type, isNotTaken(cell) ? 'not taken' : cell];
    });
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  it('an event that is not taken changes nothing and asks to wait [LOOM-58, LOOM-93, RX-03]', () => {
    const before = sample(starting('ignore'), name);
    for (const type of eventTypes.filter((each) => isNotTaken(cellOf(name, each)))) {
      const after = tell(before, oneOfEach[type]);
      expect(after.session).toBe(before.session);
      expect(after.actions).toEqual([{ type: 'wait', until: null }]);
      expect(taken(after)).toEqual({ ok: false, state: before.session.turn.status, error: refusal(after) });
    }
  });

  it('an event that is refused is shown as an error where the profile says so [RX-03]', () => {
    const before = sample(starting('refuse'), name);
    for (const type of eventTypes.filter((each) => isNotTaken(cellOf(name, each)))) {
      const after = tell(before, oneOfEach[type]);
      const expected = cellOf(name, type) === 'refused' ? ['show-error', 'wait'] : ['wait'];
      expect([type, after.session === before.session]).toEqual([type, true]);
      expect([type, ...actionTypes(after).filter((each) => keptWhilePaused(name, each))]).toEqual([
        type,
        ...expected.filter((each) => keptWhilePaused(name, each)),
      ]);
    }
  });
});

describe.each(sampleNames.filter((name) => 'refused' in table[name]))('in %s', (name) => {
  it('an event that is refused calls off the work at hand where the profile says so [RX-03]', () => {
    const before = sample(starting('reset'), name);
    for (const type of eventTypes.filter((each) => cellOf(name, each) === 'refused')) {
      const after = tell(before, oneOfEach[type]);
      expect([type, refusal(after)]).toEqual([type, expect.any(String)]);
      if (isShownOnly(type) || name === 'waitingForUser') {
        expect([type, after.session]).toEqual([type, before.session]);
        continue;
      }
      expect([type, idle(after)]).toEqual([type, true]);
      const hasWork = requestOf(before) !== 0;
      expect([type, actionTypes(after).includes('abort')]).toEqual([type, hasWork]);
    }
  });
});

const isShownOnly = (type: EventType): boolean =>
  type === 'text-delta' || type === 'call-delta' || type === 'tool-progressed';

/** A paused session shows what its state held would show, and leaves out that it waits. */
const keptWhilePaused = (name: SampleName, action: string): boolean =>
  !name.startsWith('paused') || action !== 'wait';

function idle({ session }: Told): boolean {
  const { turn } = session;
  return (
    turn.status === 'waitingForUser' || (turn.status === 'paused' && turn.held.status === 'waitingForUser')
  );
}
