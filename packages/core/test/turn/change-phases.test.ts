import { describe, expect, it } from 'vitest';
import { emptyPhaseWork } from '../../src/phases/phase.ts';
import {
  createCall,
  phaseCompleted,
  toolFinished,
  haltRequested,
  verdictReached,
  pagingFinished,
  recoveryFinished,
  modelReplied,
  userMessage,
  phaseStarted,
} from '../helpers/event-builders.ts';
import { createSampleRun, type SampleName } from '../helpers/sample-runs.ts';
import {
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
  type UntimedEvent,
} from '../helpers/run-events.ts';

const createNexoraSession = (totalPhases = 10) => createProfileSession('nexora', { totalPhases });
const planPhase = (number: number, total: number) => ({ ...phaseStarted(number), total }) as UntimedEvent;
const createStrictSession = () => createProfileSession('pawl', { settings: { haltOnFailedPhase: true } });

describe('a phase', () => {
  it('has a number, a description, a start time and an expected duration [NEX-22, NEX-38, NEX-39]', () => {
    const run = runEvents(createNexoraSession(), {
      ...phaseStarted(1),
      expectedMs: 900_000,
    } as UntimedEvent);
    expect(run.session.phases).toEqual({
      total: 10,
      current: { number: 1, description: 'part 1', startedAt: 10, expectedMs: 900_000, ...emptyPhaseWork },
      completed: [],
      outside: emptyPhaseWork,
    });
    expect(run.notes).toContainEqual({ type: 'phase-started', at: 10, number: 1, description: 'part 1' });
  });

  it('may omit the expected duration', () => {
    expect(runEvents(createNexoraSession(), phaseStarted(1)).session.phases.current?.expectedMs).toBeNull();
    for (const expectedMs of [Number.NaN, Infinity, -1]) {
      const run = runEvents(createNexoraSession(), { ...phaseStarted(1), expectedMs } as UntimedEvent);
      expect(run.session.phases.current?.expectedMs).toBeNull();
    }
  });

  it('can set the total, and the latest total counts', () => {
    const run = runEvents(createNexoraSession(), planPhase(1, 4), phaseStarted(2));
    expect(run.session.phases.total).toBe(4);
    expect(runEvents(run, planPhase(3, 7)).session.phases.total).toBe(7);
    for (const total of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(runEvents(run, planPhase(3, total)).session.phases.total).toBe(4);
    }
  });

  it('that is started again while it is current continues, and is not completed', () => {
    const repeated = {
      ...phaseStarted(1),
      description: 'part 1, and the tests',
      expectedMs: 5,
    } as UntimedEvent;
    const run = runEvents(createNexoraSession(), phaseStarted(1), repeated);
    expect(run.session.phases).toMatchObject({
      current: { number: 1, description: 'part 1, and the tests', startedAt: 10, expectedMs: 5 },
      completed: [],
    });
    expect(run.notes.map(({ type }) => type)).not.toContain('phase-completed');
  });

  it('keeps the summary it was completed with', () => {
    const ends = { ...phaseCompleted(), summary: 'All green.' } as UntimedEvent;
    const run = runEvents(createNexoraSession(), phaseStarted(1), ends, phaseStarted(2), phaseStarted(3));
    expect(run.session.phases.completed.map(({ summary }) => summary)).toEqual(['All green.', null]);
  });

  it('truncates very long text', () => {
    const long = 'x'.repeat(499) + '\u{1F600}'.repeat(100_000);
    const begins = { ...phaseStarted(1), description: long } as UntimedEvent;
    const ends = { ...phaseCompleted(false), summary: long, blockers: [long] } as UntimedEvent;
    const [past] = runEvents(createNexoraSession(), begins, ends).session.phases.completed;
    for (const text of [past?.description, past?.summary, past?.blockers[0]]) {
      expect(text?.length).toBe(501);
      expect(text?.isWellFormed()).toBe(true);
    }
  });

  it('is completed by the start of the next, and stays recorded [NEX-43, NEX-44]', () => {
    const run = runEvents(createNexoraSession(), phaseStarted(1), phaseStarted(2));
    expect(run.session.phases).toMatchObject({
      current: { number: 2, startedAt: 20 },
      completed: [{ number: 1, description: 'part 1', startedAt: 10, endedAt: 20, success: true }],
    });
    expect(run.notes.filter((note) => note.type !== 'transition')).toEqual([
      { type: 'phase-completed', at: 20, number: 1, success: true },
      { type: 'phase-started', at: 20, number: 2, description: 'part 2' },
    ]);
  });

  it.each([true, false])('is completed on its own with success %s [NEX-68]', (success) => {
    const run = runEvents(createNexoraSession(), phaseStarted(1), phaseCompleted(success));
    expect(run.session.phases).toMatchObject({ current: null, completed: [{ number: 1, success }] });
    expect(run.notes).toContainEqual({ type: 'phase-completed', at: 20, number: 1, success });
  });

  it('that was completed is not counted again by the start of the next [RN-08]', () => {
    const run = runEvents(
      createNexoraSession(),
      phaseStarted(1),
      phaseCompleted(false),
      phaseStarted(2),
      phaseCompleted(),
      phaseCompleted(),
    );
    expect(run.session.phases.completed).toMatchObject([
      { number: 1, success: false },
      { number: 2, success: true },
    ]);
  });

  it('completed, restarted and completed again is recorded once [RN-08]', () => {
    const run = runEvents(
      createNexoraSession(),
      phaseStarted(1),
      phaseCompleted(),
      phaseStarted(1),
      phaseCompleted(false),
    );
    expect(run.session.phases).toMatchObject({ current: null, completed: [{ number: 1, success: true }] });
  });

  it('is not reported as completed when there is none', () => {
    const run = runEvents(createNexoraSession(), phaseCompleted());
    expect(run.session.phases).toEqual({ total: 10, current: null, completed: [], outside: emptyPhaseWork });
    expect(run.notes.map(({ type }) => type)).toEqual(['transition', 'transition']);
  });
});

describe('ten phases', () => {
  it('are all recorded at the end [NEX-63, NEX-64, NEX-37, NEX-44, NEX-45, NEX-92]', () => {
    let run = runEvents(createNexoraSession(10));
    for (let phase = 1; phase <= 10; phase += 1) {
      const phaseStart = { ...phaseStarted(phase, `part ${phase}`), expectedMs: 900_000 } as UntimedEvent;
      run = runEvents(
        run,
        phaseStart,
        modelReplied('', createCall('a')),
        toolFinished('a'),
        modelReplied('done'),
      );
    }
    run = runEvents(run, phaseCompleted(true));
    const { total, current, completed } = run.session.phases;
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

  it.each(busy)('during %s changes the phases at once and does not affect the work', (name) => {
    const before = createSampleRun(createProfileSession('pawl'), name);
    const run = runEvents(before, phaseStarted(4));
    expect(run.session.phases.current).toMatchObject({ number: 4, startedAt: run.at });
    expect(run.session.turn.status).toBe(before.session.turn.status);
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it.each(busy)('with a message is refused during %s, and changes no phase', (name) => {
    const before = createSampleRun(createProfileSession('pawl'), name);
    const run = runEvents(before, phaseStarted(4, 'go on'));
    expect(getRefusalReason(run)).toBe(
      'a phase can start with a message only while the session waits for the user',
    );
    expect(run.session).toBe(before.session);
  });

  it('during a requested paging is processed when paging has finished', () => {
    const run = runEvents(
      createSampleRun(createProfileSession('pawl'), 'paging, for the user'),
      phaseStarted(4),
      pagingFinished(),
    );
    expect(listStatusPath(run)).toEqual([
      'paging',
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'waitingForUser',
    ]);
  });

  it('resets the recovery count, and keeps the recorded work [NEX-05, NEX-15, NEX-22]', () => {
    const stuck = runEvents(
      createProfileSession('pawl'),
      phaseStarted(1, 'go'),
      modelReplied('', createCall('a')),
      verdictReached('recover'),
    );
    const first = runEvents(stuck, toolFinished('a'), recoveryFinished());
    expect(first.session.governor.recoveries).toBe(1);
    const run = runEvents(first, phaseStarted(2));
    expect(run.session.governor.recoveries).toBe(0);
    expect(run.session.phases.completed).toHaveLength(1);
  });
});

describe('a failed phase', () => {
  it('ends the session if the profile says so', () => {
    const run = runEvents(createStrictSession(), phaseStarted(3), phaseCompleted(false));
    expect(listStatusPath(run)).toEqual(['waitingForUser', 'phaseTransition', 'halted']);
    const haltReason = { kind: 'phase-failed', reason: 'Phase 3 failed', rule: null };
    expect(requireTurn(run, 'halted').haltReason).toEqual(haltReason);
    expect(run.actions).toEqual([{ type: 'stop', haltReason }]);
    expect(run.notes).toContainEqual({ type: 'phase-completed', at: 20, number: 3, success: false });
  });

  it('ends it after the tool round it failed in, even if another phase has started since', () => {
    const run = runEvents(
      createStrictSession(),
      phaseStarted(1),
      userMessage(),
      modelReplied('', createCall('a')),
      phaseCompleted(false),
      phaseStarted(2),
      toolFinished('a'),
    );
    expect(listStatusPath(run)).toEqual([
      'executingTools',
      'progressCheck',
      'phaseTransition',
      'phaseTransition',
      'halted',
    ]);
    expect(requireTurn(run, 'halted').haltReason.reason).toBe('Phase 1 failed');
  });

  it('is neither one that succeeded nor one that the next replaced', () => {
    for (const event of [phaseCompleted(true), phaseStarted(2)]) {
      expect(runEvents(createStrictSession(), phaseStarted(1), event).session.turn.status).toBe(
        'waitingForUser',
      );
      const busy = runEvents(
        createStrictSession(),
        phaseStarted(1, 'go'),
        modelReplied('', createCall('a')),
        event,
      );
      expect(runEvents(busy, toolFinished('a')).session.turn.status).toBe('callingModel');
    }
  });

  it('is only recorded otherwise', () => {
    const run = runEvents(createNexoraSession(), phaseStarted(1), phaseCompleted(false), userMessage());
    expect(run.session.turn.status).toBe('callingModel');
    expect(run.session.phases.completed).toMatchObject([{ number: 1, success: false }]);
  });

  it('does not affect a session that has ended', () => {
    const halted = runEvents(createStrictSession(), phaseStarted(1), haltRequested());
    expect(runEvents(halted, phaseCompleted(false)).session).toBe(halted.session);
  });
});
