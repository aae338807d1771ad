import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Phases, Session, ToolFinished } from '../../src/index.ts';
import { phaseTotals } from '../../src/phases/progress.ts';
import { recordPhaseWork } from '../../src/phases/record.ts';
import { blockersMax, filesMax, noWork } from '../../src/phases/work.ts';
import {
  broke,
  call,
  endsPhase,
  finishes,
  hooksFinish,
  pauses,
  replies,
  resumes,
  says,
  startsPhase,
  worked,
} from '../helpers/happenings.ts';
import { sessionOf, tell, type Happening, type Told } from '../helpers/tell.ts';

type Done = Pick<ToolFinished, 'files' | 'tests'>;

const changed = (...paths: readonly string[]): Done => ({
  files: paths.map((path) => ({ path, hash: 'h' })),
});
const tested = (passed: number, failed: number): Done => ({ tests: { passed, failed } });
const finishing = (done: Done, callId = 'a'): Happening => ({ ...finishes(callId), ...done });
const event = (done: Done): ToolFinished => ({ ...finishing(done, 'c0'), at: 5 }) as ToolFinished;
const blockedBy = (...blockers: readonly string[]): Happening =>
  ({ ...endsPhase(false), blockers }) as Happening;

/** A session that waits for the results of as many calls as one may want to end, each with an id of its own. */
function working(calls = 12): Told {
  const ids = Array.from({ length: calls }, (_, index) => call(`c${index}`));
  return tell(sessionOf('pawl', { totalPhases: 10 }), says(), replies('', ...ids));
}

function phasesAfter(told: Told, ...happenings: readonly Happening[]): Phases {
  return tell(told, ...happenings).session.phases;
}

describe('the work of a phase', () => {
  it('is the files it changed, the tests it ran and what stood in its way [NEX-40..42]', () => {
    const phases = phasesAfter(
      working(),
      startsPhase(1),
      finishing(changed('a.ts', 'b.ts'), 'c0'),
      finishing({ ...changed('b.ts', 'c.ts'), ...tested(3, 2) }, 'c1'),
      finishing(tested(5, 0), 'c2'),
      blockedBy('the linter is missing', ' ', 'the linter is missing', 'no network'),
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
    expect(phases.outside).toEqual(noWork);
  });

  it('is kept apart from that of other phases, and from what was done outside of any [NEX-40, NEX-45]', () => {
    const phases = phasesAfter(
      working(),
      finishing(changed('before.ts'), 'c0'),
      startsPhase(1),
      finishing(changed('a.ts'), 'c1'),
      startsPhase(2),
      finishing({ ...changed('a.ts', 'b.ts'), ...tested(1, 0) }, 'c2'),
      endsPhase(),
      finishing(tested(0, 4), 'c3'),
      blockedBy('nobody to ask'),
    );
    expect(phases.completed.map(({ files }) => files)).toEqual([['a.ts'], ['a.ts', 'b.ts']]);
    expect(phases.outside).toEqual({
      ...noWork,
      files: ['before.ts'],
      filesChanged: 1,
      testsFailed: 4,
      blockers: ['nobody to ask'],
    });
    expect(phaseTotals(phases)).toEqual({ filesChanged: 4, testsPassed: 1, testsFailed: 4, blockers: 1 });
  });

  it('counts what a failed call changed, and nothing of a call that has its result or never was', () => {
    const phases = phasesAfter(
      working(2),
      startsPhase(1),
      { ...finishing(changed('half.ts'), 'c0'), outcome: broke() } as Happening,
      finishing(changed('late.ts'), 'c0'),
      finishing(changed('unknown.ts'), 'nobody'),
      { ...finishing(changed('stale.ts'), 'c1'), request: 999 } as Happening,
    );
    expect(phases.current).toMatchObject({ files: ['half.ts'], filesChanged: 1 });
  });

  it('is written down during a pause as well', () => {
    const paused = tell(working(2), startsPhase(1), pauses(), finishing(changed('a.ts'), 'c0'));
    expect(paused.session.turn.status).toBe('paused');
    expect(tell(paused, resumes()).session.phases.current?.files).toEqual(['a.ts']);
  });

  it('is added to the record of a phase that is begun again', () => {
    const phases = phasesAfter(
      working(),
      startsPhase(1),
      finishing({ ...changed('a.ts'), ...tested(1, 1) }, 'c0'),
      endsPhase(),
      startsPhase(1),
      finishing({ ...changed('a.ts', 'b.ts'), ...tested(2, 0) }, 'c1'),
      blockedBy('too slow'),
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

  it('costs nothing where there is none', () => {
    const { session } = working();
    const once = recordPhaseWork(session, event(changed('a.ts')));
    expect(once).not.toBe(session);
    for (const done of [{}, changed(), tested(0, 0)])
      expect(recordPhaseWork(session, event(done))).toBe(session);
    expect(recordPhaseWork(once, event(changed('a.ts')))).toBe(once);
  });

  it('takes counts that are no counts for none', () => {
    const wrong = [Number.NaN, Infinity, -3, 1.5, 2 ** 60].map((count, index) =>
      finishing(tested(count, count), `c${index}`),
    );
    expect(phasesAfter(working(), startsPhase(1), ...wrong).current).toMatchObject(noWork);
  });
});

describe('a session', () => {
  it('stays small, however many files are changed and whatever they are called', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `src/${index}.ts`);
    const long = `${'d/'.repeat(100_000)}\ud800`;
    const told = tell(
      working(),
      startsPhase(1),
      finishing(changed(...many), 'c0'),
      finishing(changed(`${long}1`, `${long}2`, '__proto__'), 'c1'),
      blockedBy(...many.map((path) => `${path} is locked`)),
    );
    const [past] = told.session.phases.completed;
    expect(past?.filesChanged).toBe(10_003);
    expect(past?.files).toHaveLength(filesMax);
    expect(past?.files.at(-1)).toBe('__proto__');
    expect(past?.blockers).toHaveLength(blockersMax);
    expect(past?.blockers.at(-1)).toBe('src/9999.ts is locked');
    expect(JSON.stringify(told.session.phases).length).toBeLessThan(10_000);
  });
});

/** What can happen to phases, in any order. */
const phaseStory = fc.array(
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
type Story = typeof phaseStory extends fc.Arbitrary<infer Each> ? Each : never;

function tellStory(story: Story): Session {
  let told = working(40);
  let calls = 0;
  for (const each of story) {
    if (each.kind === 'start') told = tell(told, startsPhase(each.number));
    else if (each.kind === 'end') told = tell(told, endsPhase(each.success));
    else {
      const done = { ...changed(...each.paths), ...tested(each.passed, each.failed) };
      told = tell(told, finishing(done, `c${calls}`));
      calls += 1;
    }
  }
  return told.session;
}

/** The same account, kept by hand: each stretch of a phase has its set of files. */
function accountOf(story: Story): {
  readonly files: number;
  readonly paths: ReadonlySet<string>;
  readonly passed: number;
  readonly failed: number;
  readonly ends: ReadonlyMap<number, boolean>;
} {
  const outside = { number: 0, files: new Set<string>() };
  const ends = new Map<number, boolean>();
  const stretches = [outside];
  const calls = story.filter((each) => each.kind === 'call');
  let current = outside;
  const end = (success: boolean): void => {
    if (current !== outside && !ends.has(current.number)) ends.set(current.number, success);
    current = outside;
  };
  for (const each of story) {
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

describe('whatever the order of events', () => {
  it('no file and no test is lost, and the totals are those of the phases and the rest [NEX-45]', () => {
    fc.assert(
      fc.property(phaseStory, (story) => {
        const { phases } = tellStory(story);
        const { files, paths, passed, failed } = accountOf(story);
        expect(phaseTotals(phases)).toEqual({
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

  it('a phase number is on record at most once, with its first outcome [RN-08]', () => {
    fc.assert(
      fc.property(phaseStory, (story) => {
        const { completed } = tellStory(story).phases;
        const { ends } = accountOf(story);
        expect(completed.map(({ number, success }) => [number, success])).toEqual([...ends]);
      }),
    );
  });
});

describe('a refactoring in ten phases', () => {
  it('edits a thousand files without a word from the governor, and has them all on record [NEX-37, NEX-45, NEX-63..66, NEX-69]', () => {
    let told = tell(sessionOf('pawl', { totalPhases: 10 }), says('refactor'));
    for (let phase = 1; phase <= 10; phase += 1) {
      told = tell(told, { ...startsPhase(phase), expectedMs: 900_000 } as Happening);
      for (let file = 1; file <= 100; file += 1) {
        const path = `phase${phase}_file${file}.go`;
        const edit = { id: path, tool: 'edit', args: { path, old: 'a', new: `b${file}` } };
        const edited = { ...finishes(path, worked(`edited ${path}`)), ...changed(path) };
        told = tell(told, replies('', edit), edited, hooksFinish());
        const notes = told.steps.flatMap((each) => each.notes);
        expect(notes.some(({ type }) => type === 'verdict' || type === 'refused')).toBe(false);
        told = { ...told, steps: [], events: [] };
      }
    }
    const { phases } = tell(told, endsPhase()).session;
    expect(phases.completed.map(({ filesChanged, success }) => [filesChanged, success])).toEqual(
      Array.from({ length: 10 }, () => [100, true]),
    );
    expect([phases.completed.length, phases.total, phaseTotals(phases).filesChanged]).toEqual([
      10, 10, 1_000,
    ]);
  });
});
