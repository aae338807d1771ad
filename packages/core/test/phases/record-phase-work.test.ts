import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session, ToolFinished } from '../../src/index.ts';
import type { PhaseState } from '../../src/phases-entry.ts';
import { computePhaseTotals } from '../../src/phases/progress.ts';
import { phaseBlockersMax, phaseFilesMax, emptyPhaseWork } from '../../src/phases/phase.ts';
import { recordPhaseWork } from '../../src/turn/change-phases.ts';
import {
  failureOutcome,
  createCall,
  phaseCompleted,
  toolFinished,
  hooksFinished,
  pauseRequested,
  modelReplied,
  resumeRequested,
  userMessage,
  phaseStarted,
  successOutcome,
} from '../helpers/event-builders.ts';
import { createProfileSession, runEvents, type UntimedEvent, type EventRun } from '../helpers/run-events.ts';

type ReportedWork = Pick<ToolFinished, 'files' | 'tests'>;

const reportChangedFiles = (...paths: readonly string[]): ReportedWork => ({
  files: paths.map((path) => ({ path, hash: 'h' })),
});
const reportTests = (passed: number, failed: number): ReportedWork => ({ tests: { passed, failed } });
const finishWithWork = (done: ReportedWork, callId = 'a'): UntimedEvent => ({
  ...toolFinished(callId),
  ...done,
});
const createFinishedEvent = (done: ReportedWork): ToolFinished =>
  ({ ...finishWithWork(done, 'c0'), at: 5 }) as ToolFinished;
const completeWithBlockers = (...blockers: readonly string[]): UntimedEvent =>
  ({ ...phaseCompleted(false), blockers }) as UntimedEvent;

/** A session that waits for the results of as many calls as one may want to end, each with an id of its own. */
function createWorkingRun(calls = 12): EventRun {
  const ids = Array.from({ length: calls }, (_, index) => createCall(`c${index}`));
  return runEvents(
    createProfileSession('pawl', { totalPhases: 10 }),
    userMessage(),
    modelReplied('', ...ids),
  );
}

function runPhaseEvents(run: EventRun, ...events: readonly UntimedEvent[]): PhaseState {
  return runEvents(run, ...events).session.phases;
}

describe('the work of a phase', () => {
  it('is the files it changed, the tests it ran and its blockers [NEX-40..42]', () => {
    const phases = runPhaseEvents(
      createWorkingRun(),
      phaseStarted(1),
      finishWithWork(reportChangedFiles('a.ts', 'b.ts'), 'c0'),
      finishWithWork({ ...reportChangedFiles('b.ts', 'c.ts'), ...reportTests(3, 2) }, 'c1'),
      finishWithWork(reportTests(5, 0), 'c2'),
      completeWithBlockers('the linter is missing', ' ', 'the linter is missing', 'no network'),
    );
    expect(phases.completed).toMatchObject([
      {
        number: 1,
        success: false,
        files: ['a.ts', 'b.ts', 'c.ts'],
        filesChanged: 3,
        testsPassed: 8,
        testsFailed: 2,
        blockers: ['the linter is missing', 'no network'],
      },
    ]);
    expect(phases.outside).toEqual(emptyPhaseWork);
  });

  it('is recorded separately for each phase, and for work outside any phase [NEX-40, NEX-45]', () => {
    const phases = runPhaseEvents(
      createWorkingRun(),
      finishWithWork(reportChangedFiles('before.ts'), 'c0'),
      phaseStarted(1),
      finishWithWork(reportChangedFiles('a.ts'), 'c1'),
      phaseStarted(2),
      finishWithWork({ ...reportChangedFiles('a.ts', 'b.ts'), ...reportTests(1, 0) }, 'c2'),
      phaseCompleted(),
      finishWithWork(reportTests(0, 4), 'c3'),
      completeWithBlockers('nobody to ask'),
    );
    expect(phases.completed.map(({ files }) => files)).toEqual([['a.ts'], ['a.ts', 'b.ts']]);
    expect(phases.outside).toEqual({
      ...emptyPhaseWork,
      files: ['before.ts'],
      filesChanged: 1,
      testsFailed: 4,
      blockers: ['nobody to ask'],
    });
    expect(computePhaseTotals(phases)).toEqual({
      filesChanged: 4,
      testsPassed: 1,
      testsFailed: 4,
      blockers: 1,
    });
  });

  it('includes changes of a failed call, and none of an already completed or unknown call', () => {
    const phases = runPhaseEvents(
      createWorkingRun(2),
      phaseStarted(1),
      { ...finishWithWork(reportChangedFiles('half.ts'), 'c0'), outcome: failureOutcome() } as UntimedEvent,
      finishWithWork(reportChangedFiles('late.ts'), 'c0'),
      finishWithWork(reportChangedFiles('unknown.ts'), 'nobody'),
      { ...finishWithWork(reportChangedFiles('stale.ts'), 'c1'), request: 999 } as UntimedEvent,
    );
    expect(phases.current).toMatchObject({ files: ['half.ts'], filesChanged: 1 });
  });

  it('is recorded during a pause as well', () => {
    const paused = runEvents(
      createWorkingRun(2),
      phaseStarted(1),
      pauseRequested(),
      finishWithWork(reportChangedFiles('a.ts'), 'c0'),
    );
    expect(paused.session.turn.status).toBe('paused');
    expect(runEvents(paused, resumeRequested()).session.phases.current?.files).toEqual(['a.ts']);
  });

  it('is added to the record of a phase that is started again', () => {
    const phases = runPhaseEvents(
      createWorkingRun(),
      phaseStarted(1),
      finishWithWork({ ...reportChangedFiles('a.ts'), ...reportTests(1, 1) }, 'c0'),
      phaseCompleted(),
      phaseStarted(1),
      finishWithWork({ ...reportChangedFiles('a.ts', 'b.ts'), ...reportTests(2, 0) }, 'c1'),
      completeWithBlockers('too slow'),
    );
    expect(phases.completed).toMatchObject([
      {
        number: 1,
        success: true,
        files: ['a.ts', 'b.ts'],
        filesChanged: 3,
        testsPassed: 3,
        testsFailed: 1,
        blockers: ['too slow'],
      },
    ]);
  });

  it('leaves the session unchanged if there is none', () => {
    const { session } = createWorkingRun();
    const once = recordPhaseWork(session, createFinishedEvent(reportChangedFiles('a.ts')));
    expect(once).not.toBe(session);
    for (const done of [{}, reportChangedFiles(), reportTests(0, 0)])
      expect(recordPhaseWork(session, createFinishedEvent(done))).toBe(session);
    expect(recordPhaseWork(once, createFinishedEvent(reportChangedFiles('a.ts')))).toBe(once);
  });

  it('ignores invalid counts', () => {
    const invalid = [Number.NaN, Infinity, -3, 1.5, 2 ** 60].map((count, index) =>
      finishWithWork(reportTests(count, count), `c${index}`),
    );
    expect(runPhaseEvents(createWorkingRun(), phaseStarted(1), ...invalid).current).toMatchObject(
      emptyPhaseWork,
    );
  });
});

describe('a session', () => {
  it('stays small, for any number of files and any names', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `src/${index}.ts`);
    const long = `${'d/'.repeat(100_000)}\ud800`;
    const run = runEvents(
      createWorkingRun(),
      phaseStarted(1),
      finishWithWork(reportChangedFiles(...many), 'c0'),
      finishWithWork(reportChangedFiles(`${long}1`, `${long}2`, '__proto__'), 'c1'),
      completeWithBlockers(...many.map((path) => `${path} is locked`)),
    );
    const [past] = run.session.phases.completed;
    expect(past?.filesChanged).toBe(10_003);
    expect(past?.files).toHaveLength(phaseFilesMax);
    expect(past?.files.at(-1)).toBe('__proto__');
    expect(past?.blockers).toHaveLength(phaseBlockersMax);
    expect(past?.blockers.at(-1)).toBe('src/9999.ts is locked');
    expect(JSON.stringify(run.session.phases).length).toBeLessThan(10_000);
  });
});

/** What can happen to phases, in any order. */
const anyPhaseStory = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('start' as const), number: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('end' as const), success: fc.boolean() }),
    fc.record({
      kind: fc.constant('call' as const),
      paths: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 }),
      passed: fc.nat({ max: 9 }),
      failed: fc.nat({ max: 9 }),
    }),
  ),
  { maxLength: 40 },
);
type PhaseStory = typeof anyPhaseStory extends fc.Arbitrary<infer Each> ? Each : never;

function runPhaseStory(history: PhaseStory): Session {
  let run = createWorkingRun(40);
  let calls = 0;
  for (const each of history) {
    if (each.kind === 'start') run = runEvents(run, phaseStarted(each.number));
    else if (each.kind === 'end') run = runEvents(run, phaseCompleted(each.success));
    else {
      const done = { ...reportChangedFiles(...each.paths), ...reportTests(each.passed, each.failed) };
      run = runEvents(run, finishWithWork(done, `c${calls}`));
      calls += 1;
    }
  }
  return run.session;
}

/** The same account, kept by hand: each stretch of a phase has its set of files. */
function computeExpectedAccount(history: PhaseStory): {
  readonly files: number;
  readonly paths: ReadonlySet<string>;
  readonly passed: number;
  readonly failed: number;
  readonly ends: ReadonlyMap<number, boolean>;
} {
  const outside = { number: 0, files: new Set<string>() };
  const ends = new Map<number, boolean>();
  const stretches = [outside];
  const calls = history.filter((each) => each.kind === 'call');
  let current = outside;
  const end = (success: boolean): void => {
    if (current !== outside && !ends.has(current.number)) ends.set(current.number, success);
    current = outside;
  };
  for (const each of history) {
    if (each.kind === 'start' && current.number !== each.number) {
      end(true);
      current = { number: each.number, files: new Set() };
      stretches.push(current);
    }
    if (each.kind === 'end') end(each.success);
    if (each.kind === 'call') for (const path of each.paths) current.files.add(path);
  }
  return {
    files: stretches.reduce((sum, { files }) => sum + files.size, 0),
    paths: new Set(calls.flatMap(({ paths }) => paths)),
    passed: calls.reduce((sum, { passed }) => sum + passed, 0),
    failed: calls.reduce((sum, { failed }) => sum + failed, 0),
    ends,
  };
}

describe('for any order of events', () => {
  it('no file and no test is lost, and the totals are the sum over the phases and the rest [NEX-45]', () => {
    fc.assert(
      fc.property(anyPhaseStory, (history) => {
        const { phases } = runPhaseStory(history);
        const { files, paths, passed, failed } = computeExpectedAccount(history);
        expect(computePhaseTotals(phases)).toEqual({
          filesChanged: files,
          testsPassed: passed,
          testsFailed: failed,
          blockers: 0,
        });
        const listed = [phases.outside, ...phases.completed, ...(phases.current ? [phases.current] : [])];
        expect(new Set(listed.flatMap((work) => work.files))).toEqual(paths);
      }),
    );
  });

  it('a phase number is recorded at most once, with its first outcome [RN-08]', () => {
    fc.assert(
      fc.property(anyPhaseStory, (history) => {
        const { completed } = runPhaseStory(history).phases;
        const { ends } = computeExpectedAccount(history);
        expect(completed.map(({ number, success }) => [number, success])).toEqual([...ends]);
      }),
    );
  });
});

describe('a refactoring in ten phases', () => {
  it('edits a thousand files without a verdict, and records them all [NEX-37, NEX-45, NEX-63..66, NEX-69]', () => {
    let run = runEvents(createProfileSession('pawl', { totalPhases: 10 }), userMessage('refactor'));
    for (let phase = 1; phase <= 10; phase += 1) {
      run = runEvents(run, { ...phaseStarted(phase), expectedMs: 900_000 } as UntimedEvent);
      for (let file = 1; file <= 100; file += 1) {
        const path = `phase${phase}_file${file}.go`;
        const edit = { id: path, tool: 'edit', args: { path, old: 'a', new: `b${file}` } };
        const edited = {
          ...toolFinished(path, successOutcome(`edited ${path}`)),
          ...reportChangedFiles(path),
        };
        run = runEvents(run, modelReplied('', edit), edited, hooksFinished());
        const notes = run.steps.flatMap((each) => each.notes);
        expect(notes.some(({ type }) => type === 'verdict' || type === 'refused')).toBe(false);
        run = { ...run, steps: [], events: [] };
      }
    }
    const { phases } = runEvents(run, phaseCompleted()).session;
    expect(phases.completed.map(({ filesChanged, success }) => [filesChanged, success])).toEqual(
      Array.from({ length: 10 }, () => [100, true]),
    );
    expect([phases.completed.length, phases.total, computePhaseTotals(phases).filesChanged]).toEqual([
      10, 10, 1_000,
    ]);
  });
});
