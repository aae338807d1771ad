import { describe, expect, it } from 'vitest';
import { noWork } from '../../src/phases/work.ts';
import {
  call,
  endsPhase,
  finishes,
  halts,
  judged,
  paged,
  recovers,
  replies,
  says,
  startsPhase,
} from '../helpers/happenings.ts';
import { sample, type SampleName } from '../helpers/samples.ts';
import { path, refusal, sessionOf, tell, turnIn, type Happening } from '../helpers/tell.ts';

const nexora = (totalPhases = 10) => sessionOf('nexora', { totalPhases });
const plan = (number: number, total: number) => ({ ...startsPhase(number), total }) as Happening;
const strict = () => sessionOf('pawl', { settings: { haltOnFailedPhase: true } });

describe('a phase', () => {
  it('has a number, a description, when it began and how long it may take [NEX-22, NEX-38, NEX-39]', () => {
    const told = tell(nexora(), { ...startsPhase(1), expectedMs: 900_000 } as Happening);
    expect(told.session.phases).toEqual({
      total: 10,
      current: { number: 1, description: 'part 1', startedAt: 10, expectedMs: 900_000, ...noWork },
      completed: [],
      outside: noWork,
    });
    expect(told.notes).toContainEqual({ type: 'phase-started', at: 10, number: 1, description: 'part 1' });
  });

  it('need not say how long it may take', () => {
    expect(tell(nexora(), startsPhase(1)).session.phases.current?.expectedMs).toBeNull();
    for (const expectedMs of [Number.NaN, Infinity, -1]) {
      const told = tell(nexora(), { ...startsPhase(1), expectedMs } as Happening);
      expect(told.session.phases.current?.expectedMs).toBeNull();
    }
  });

  it('can say how many there will be, and the latest word counts', () => {
    const told = tell(nexora(), plan(1, 4), startsPhase(2));
    expect(told.session.phases.total).toBe(4);
    expect(tell(told, plan(3, 7)).session.phases.total).toBe(7);
    for (const total of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(tell(told, plan(3, total)).session.phases.total).toBe(4);
    }
  });

  it('that is started again while it is under way goes on, and is not completed by that', () => {
    const again = { ...startsPhase(1), description: 'part 1, and the tests', expectedMs: 5 } as Happening;
    const told = tell(nexora(), startsPhase(1), again);
    expect(told.session.phases).toMatchObject({
      current: { number: 1, description: 'part 1, and the tests', startedAt: 10, expectedMs: 5 },
      completed: [],
    });
    expect(told.notes.map(({ type }) => type)).not.toContain('phase-completed');
  });

  it('keeps what was said of it when it ended', () => {
    const ends = { ...endsPhase(), summary: 'All green.' } as Happening;
    const told = tell(nexora(), startsPhase(1), ends, startsPhase(2), startsPhase(3));
    expect(told.session.phases.completed.map(({ summary }) => summary)).toEqual(['All green.', null]);
  });

  it('has room for the beginning of a very long text', () => {
    const long = 'x'.repeat(499) + '\u{1F600}'.repeat(100_000);
    const begins = { ...startsPhase(1), description: long } as Happening;
    const ends = { ...endsPhase(false), summary: long, blockers: [long] } as Happening;
    const [past] = tell(nexora(), begins, ends).session.phases.completed;
    for (const text of [past?.description, past?.summary, past?.blockers[0]]) {
      expect(text?.length).toBe(501);
      expect(text?.isWellFormed()).toBe(true);
    }
  });

  it('is completed by the start of the next, and stays on record [NEX-43, NEX-44]', () => {
    const told = tell(nexora(), startsPhase(1), startsPhase(2));
    expect(told.session.phases).toMatchObject({
      current: { number: 2, startedAt: 20 },
      completed: [{ number: 1, description: 'part 1', startedAt: 10, endedAt: 20, success: true }],
    });
    expect(told.notes.filter((note) => note.type !== 'transition')).toEqual([
      { type: 'phase-completed', at: 20, number: 1, success: true },
      { type: 'phase-started', at: 20, number: 2, description: 'part 2' },
    ]);
  });

  it.each([true, false])('is completed on its own with success %s [NEX-68]', (success) => {
    const told = tell(nexora(), startsPhase(1), endsPhase(success));
    expect(told.session.phases).toMatchObject({ current: null, completed: [{ number: 1, success }] });
    expect(told.notes).toContainEqual({ type: 'phase-completed', at: 20, number: 1, success });
  });

  it('that was completed is not counted again by the start of the next [RN-08]', () => {
    const told = tell(nexora(), startsPhase(1), endsPhase(false), startsPhase(2), endsPhase(), endsPhase());
    expect(told.session.phases.completed).toMatchObject([
      { number: 1, success: false },
      { number: 2, success: true },
    ]);
  });

  it('done, begun and done again is one phase on record [RN-08]', () => {
    const told = tell(nexora(), startsPhase(1), endsPhase(), startsPhase(1), endsPhase(false));
    expect(told.session.phases).toMatchObject({ current: null, completed: [{ number: 1, success: true }] });
  });

  it('is not told as completed when there is none', () => {
    const told = tell(nexora(), endsPhase());
    expect(told.session.phases).toEqual({ total: 10, current: null, completed: [], outside: noWork });
    expect(told.notes.map(({ type }) => type)).toEqual(['transition', 'transition']);
  });
});

describe('ten phases', () => {
  it('are ten phases on record at the end, of the ten there are [NEX-63, NEX-64, NEX-37, NEX-44, NEX-45, NEX-92]', () => {
    let told = tell(nexora(10));
    for (let phase = 1; phase <= 10; phase += 1) {
      const begin = { ...startsPhase(phase, `part ${phase}`), expectedMs: 900_000 } as Happening;
      told = tell(told, begin, replies('', call('a')), finishes('a'), replies('done'));
    }
    told = tell(told, endsPhase(true));
    const { total, current, completed } = told.session.phases;
    expect([completed.length, total, current]).toEqual([10, 10, null]);
    expect(completed.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(completed.every(({ success, expectedMs }) => success && expectedMs === 900_000)).toBe(true);
  });
});

describe('a change of phase', () => {
  const busy: readonly SampleName[] = [
    'callingModel, streaming',
    'awaitingPermission, one open',
    'executingTools, running',
    'postToolsHook',
    'errorRecovery, model',
    'errorRecovery, tool',
    'errorRecovery, hooks',
    'errorRecovery, paging',
    'paging, for the model',
    'paging, for the user',
  ];

  it.each(busy)('during %s changes the phases at once and the work not at all', (name) => {
    const before = sample(sessionOf('pawl'), name);
    const told = tell(before, startsPhase(4));
    expect(told.session.phases.current).toMatchObject({ number: 4, startedAt: told.at });
    expect(told.session.turn.status).toBe(before.session.turn.status);
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it.each(busy)('that brings a message is refused during %s, and changes no phase', (name) => {
    const before = sample(sessionOf('pawl'), name);
    const told = tell(before, startsPhase(4, 'go on'));
    expect(refusal(told)).toBe('a phase can bring a message only while waiting for the user');
    expect(told.session).toBe(before.session);
  });

  it('while the user pages is passed through when memory has made room', () => {
    const told = tell(sample(sessionOf('pawl'), 'paging, for the user'), startsPhase(4), paged());
    expect(path(told)).toEqual([
      'paging',
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'waitingForUser',
    ]);
  });

  it('starts the count of recoveries afresh, and keeps what was done [NEX-05, NEX-15, NEX-22]', () => {
    const stuck = tell(sessionOf('pawl'), startsPhase(1, 'go'), replies('', call('a')), judged('recover'));
    const once = tell(stuck, finishes('a'), recovers());
    expect(once.session.governor.recoveries).toBe(1);
    const told = tell(once, startsPhase(2));
    expect(told.session.governor.recoveries).toBe(0);
    expect(told.session.phases.completed).toHaveLength(1);
  });
});

describe('a failed phase', () => {
  it('ends the session where the profile says so', () => {
    const told = tell(strict(), startsPhase(3), endsPhase(false));
    expect(path(told)).toEqual(['waitingForUser', 'phaseTransition', 'halted']);
    const why = { kind: 'phase-failed', reason: 'Phase 3 failed', rule: null };
    expect(turnIn(told, 'halted').why).toEqual(why);
    expect(told.actions).toEqual([{ type: 'stop', why }]);
    expect(told.notes).toContainEqual({ type: 'phase-completed', at: 20, number: 3, success: false });
  });

  it('ends it after the round of tools it failed in, even if another phase began meanwhile', () => {
    const told = tell(
      strict(),
      startsPhase(1),
      says(),
      replies('', call('a')),
      endsPhase(false),
      startsPhase(2),
      finishes('a'),
    );
    expect(path(told)).toEqual([
      'executingTools',
      'progressCheck',
      'phaseTransition',
      'phaseTransition',
      'halted',
    ]);
    expect(turnIn(told, 'halted').why.reason).toBe('Phase 1 failed');
  });

  it('is not one that succeeded, nor one that the next took over from', () => {
    for (const happening of [endsPhase(true), startsPhase(2)]) {
      expect(tell(strict(), startsPhase(1), happening).session.turn.status).toBe('waitingForUser');
      const busy = tell(strict(), startsPhase(1, 'go'), replies('', call('a')), happening);
      expect(tell(busy, finishes('a')).session.turn.status).toBe('callingModel');
    }
  });

  it('only stays on record otherwise', () => {
    const told = tell(nexora(), startsPhase(1), endsPhase(false), says());
    expect(told.session.turn.status).toBe('callingModel');
    expect(told.session.phases.completed).toMatchObject([{ number: 1, success: false }]);
  });

  it('does not matter to a session that has ended', () => {
    const halted = tell(strict(), startsPhase(1), halts());
    expect(tell(halted, endsPhase(false)).session).toBe(halted.session);
  });
});
