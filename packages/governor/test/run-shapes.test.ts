import { describe, expect, it } from 'vitest';
import { auditRun, type AuditVerdict } from '../src/audit-entry.ts';
import type { Json } from '../src/index.ts';
import type { RecordedRun, RecordedStep } from '../src/traces-entry.ts';

/*
 * What agents really do, as small runs: shapes of being stuck, and work that looks like it. A shape of being stuck is at
 * least spoken about; one that cannot come to anything is ended. Work that merely looks stuck is never ended.
 */
type StepContent = Omit<RecordedStep, 'i' | 'role'>;

const createCallStep = (tool: string, args: Json, result: Json): StepContent => ({ tool, args, result });
const createFailedStep = (tool: string, args: Json, result: Json): StepContent => ({
  tool,
  args,
  result,
  error: true,
});
const createTextStep = (text: string): StepContent => ({ text });

function repeatRounds(
  count: number,
  round: (index: number) => StepContent | readonly StepContent[],
): readonly StepContent[] {
  return Array.from({ length: count }, (_, index) => round(index)).flat();
}

function auditSteps(work: readonly StepContent[]): readonly AuditVerdict[] {
  const steps = work.map((each, index): RecordedStep => ({ i: index + 1, role: 'assistant', ...each }));
  const run: RecordedRun = {
    id: 'shape',
    steps: [{ i: 0, role: 'user', text: 'Make the tests pass.' }, ...steps],
  };
  return auditRun(run);
}

const createTestFailure = (output: string): StepContent =>
  createFailedStep('shell', { command: 'npm test' }, output);

type RunShape = readonly [title: string, work: readonly StepContent[], rule: string, endedBy: number];

const hopelessShapes: readonly RunShape[] = [
  [
    'one call, one answer',
    repeatRounds(9, () => createCallStep('open', { file: 'readme' }, 'Welcome')),
    'repeated-call',
    4,
  ],
  [
    'one call with a new thought each time',
    repeatRounds(9, (time) => ({
      ...createCallStep('open', { file: 'readme' }, 'Welcome'),
      text: `Now for try ${time}`,
    })),
    'repeated-call',
    4,
  ],
  [
    'one call with its arguments in another order',
    repeatRounds(9, (time) =>
      createCallStep(
        'find',
        time % 2 === 0 ? { term: 'tax', in: 'src' } : { in: 'src', term: 'tax' },
        'nothing',
      ),
    ),
    'repeated-call',
    4,
  ],
  [
    'one call and a clock that ticks',
    repeatRounds(9, (time) =>
      createCallStep('find', { term: 'tax' }, `nothing, at 09:30:1${time} in ${30 + time} ms`),
    ),
    'repeated-call',
    4,
  ],
  [
    'one edit that cannot match',
    repeatRounds(9, () =>
      createFailedStep('edit', { path: 'tax.ts', old: 'rate', new: 'fee' }, 'text to replace not found'),
    ),
    'repeated-failure',
    4,
  ],
  [
    'one test suite that keeps failing',
    repeatRounds(9, () => createTestFailure('3 failed')),
    'repeated-failure',
    4,
  ],
  [
    'one error with changing words',
    repeatRounds(9, (time) => createFailedStep('mail', { to: `user${time}` }, 'Error 401: token expired')),
    'error-streak',
    7,
  ],
  [
    'one error with changing tools',
    repeatRounds(9, (time) =>
      createFailedStep(['list', 'open', 'write'][time % 3] ?? '', { time }, 'disk is read-only'),
    ),
    'error-streak',
    7,
  ],
  [
    'two calls in turn',
    repeatRounds(9, () => [
      createCallStep('open', { file: 'a' }, 'A'),
      createCallStep('list', { dir: '.' }, 'B'),
    ]),
    'round-and-round',
    7,
  ],
  [
    'three calls in turn, failures among them',
    repeatRounds(9, () => [
      createCallStep('open', { file: 'a' }, 'A'),
      createFailedStep('edit', { path: 'a', old: 'q', new: 'r' }, 'not found'),
      createTestFailure('3 failed'),
    ]),
    'round-and-round',
    8,
  ],
  [
    'seven files over and over',
    repeatRounds(5, () =>
      repeatRounds(7, (file) => createCallStep('open', { file: `f${file}` }, `text of ${file}`)),
    ),
    'round-and-round',
    15,
  ],
  [
    'a file switched between two contents',
    repeatRounds(9, () => [
      createCallStep('write', { path: 'a', content: 'yes' }, 'ok'),
      createCallStep('write', { path: 'a', content: 'no' }, 'ok'),
    ]),
    'edit-and-revert',
    8,
  ],
  [
    'a file read again before each edit that cannot match',
    repeatRounds(9, (time) => [
      createCallStep('open', { file: 'a' }, 'A'),
      createFailedStep('edit', { path: 'a', old: `guess ${time}`, new: 'x' }, 'text to replace not found'),
    ]),
    'interleaved-errors',
    12,
  ],
  [
    'one sentence',
    repeatRounds(6, () => createTextStep('Let me now look into the file.')),
    'repeated-text',
    3,
  ],
];

const doubtfulShapes: readonly RunShape[] = [
  [
    'a suite that fails the same way with a new file read in between',
    repeatRounds(9, (time) => [
      createTestFailure('3 failed'),
      createCallStep('open', { file: `f${time}` }, `text ${time}`),
    ]),
    'interleaved-errors',
    0,
  ],
  [
    'new questions that get one answer',
    repeatRounds(9, (time) => createCallStep('find', { term: `tax${time}` }, '12: import')),
    'same-answer',
    0,
  ],
  [
    'talk about the next step, in other words each time',
    [
      'I shall fix it.',
      'On to the repair.',
      'The fix comes next.',
      'Time to mend this.',
      'Here goes.',
      'Now it begins.',
    ].map(createTextStep),
    'repeated-text',
    0,
  ],
];

const healthyShapes: readonly (readonly [title: string, work: readonly StepContent[]])[] = [
  [
    'a log that grows',
    repeatRounds(30, (line) =>
      createCallStep('shell', { command: 'tail -1 build.log' }, `compiled unit ${line}`),
    ),
  ],
  [
    'a log that grows, and sleep in between',
    repeatRounds(20, (line) => [
      createCallStep('output', { of: 7 }, `compiled unit ${line}`),
      createCallStep('shell', { command: 'sleep 10' }, ''),
    ]),
  ],
  [
    'many files read at the start',
    repeatRounds(40, (file) => createCallStep('open', { file: `f${file}` }, `text of ${file}`)),
  ],
  [
    'many files changed',
    repeatRounds(40, (file) => createCallStep('edit', { path: `f${file}` }, `changed f${file}`)),
  ],
  [
    'many files written, each acknowledged with one word',
    repeatRounds(20, (file) => createCallStep('write', { path: `f${file}` }, 'ok')),
  ],
  [
    'a long file, page by page',
    repeatRounds(40, (page) => createCallStep('open', { file: 'log', from: page * 50 }, `page ${page}`)),
  ],
  [
    'many commands',
    repeatRounds(40, (index) => createCallStep('shell', { command: `step-${index}` }, `output of ${index}`)),
  ],
  [
    'failures that become fewer',
    repeatRounds(9, (time) => [
      createCallStep('edit', { path: 'a', v: time }, `changed ${time}`),
      createTestFailure(`${9 - time} failed`),
    ]),
  ],
  [
    'the same failure until the edit that fixes it',
    [
      ...repeatRounds(6, (time) => [
        createCallStep('edit', { path: 'a', v: time }, `changed ${time}`),
        createTestFailure('3 failed'),
      ]),
      createCallStep('shell', { command: 'npm test' }, 'all passed'),
    ],
  ],
  [
    'two files changed in turn',
    repeatRounds(12, (time) =>
      createCallStep('edit', { path: time % 2 === 0 ? 'a' : 'b', v: time }, `changed ${time}`),
    ),
  ],
  [
    'a look at the tree before each commit',
    repeatRounds(12, (time) => [
      createCallStep('shell', { command: 'git status' }, `modified: f${time}`),
      createCallStep('shell', { command: `git commit -m ${time}` }, `created ${time}`),
    ]),
  ],
  [
    'a few wrong turns of different kinds',
    [
      createFailedStep('shell', { command: 'mak' }, 'mak: command not found'),
      createFailedStep('shell', { command: 'make all' }, 'no rule for the target all'),
      createFailedStep('open', { file: 'Makefile.am' }, 'there is no such file'),
      createFailedStep('shell', { command: 'make -C lib' }, 'cc1 ran out of memory'),
      createCallStep('shell', { command: 'make -j1' }, 'built'),
    ],
  ],
];

const isEndingVerdict = ({ severity }: AuditVerdict): boolean => severity === 'stop' || severity === 'ask';

describe('an agent that is stuck [NEX-120]', () => {
  it.each(hopelessShapes)('in %s gets advice and is then ended', (_, work, rule, lastStep) => {
    const verdicts = auditSteps(work);
    expect(verdicts[0]).toMatchObject({ rule });
    const end = verdicts.find(isEndingVerdict);
    expect(end?.step).toBeLessThanOrEqual(lastStep);
    expect(verdicts.at(-1)).toBe(end);
  });

  it.each(doubtfulShapes)('possibly, in %s, gets advice and may continue', (_, work, rule) => {
    const verdicts = auditSteps(work);
    expect(verdicts.map((verdict) => verdict.rule)).toContain(rule);
    expect(verdicts.some(isEndingVerdict)).toBe(false);
  });
});

describe('an agent that works [NEX-120]', () => {
  it.each(healthyShapes)('through %s is never ended', (_, work) => {
    expect(auditSteps(work).filter(isEndingVerdict)).toEqual([]);
  });

  it('gets no verdict if each step makes progress', () => {
    const quiet = healthyShapes.filter(
      ([, work]) => new Set(work.map(({ result }) => result)).size === work.length,
    );
    expect(quiet.length).toBeGreaterThan(5);
    for (const [title, work] of quiet)
      expect([title, auditSteps(work.filter(({ error }) => error !== true))]).toEqual([title, []]);
  });
});
