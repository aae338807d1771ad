import { describe, expect, it } from 'vitest';
import { audit, type AuditVerdict, type Json, type RecordedRun, type RecordedStep } from '../../src/index.ts';

/*
 * What agents really do, as small runs: shapes of being stuck, and work that looks like it. A shape of being stuck is at
 * least spoken about; one that cannot come to anything is ended. Work that merely looks stuck is never ended.
 */
type Work = Omit<RecordedStep, 'i' | 'role'>;

const call = (tool: string, args: Json, result: Json): Work => ({ tool, args, result });
const fail = (tool: string, args: Json, result: Json): Work => ({ tool, args, result, error: true });
const say = (text: string): Work => ({ text });

function rounds(count: number, round: (index: number) => Work | readonly Work[]): readonly Work[] {
  return Array.from({ length: count }, (_, index) => round(index)).flat();
}

function verdictsOn(work: readonly Work[]): readonly AuditVerdict[] {
  const steps = work.map((each, index): RecordedStep => ({ i: index + 1, role: 'assistant', ...each }));
  const run: RecordedRun = {
    id: 'shape',
    steps: [{ i: 0, role: 'user', text: 'Make the tests pass.' }, ...steps],
  };
  return audit(run);
}

const suite = (said: string): Work => fail('shell', { command: 'npm test' }, said);

type Shape = readonly [title: string, work: readonly Work[], rule: string, endedBy: number];

const hopeless: readonly Shape[] = [
  ['one call, one answer', rounds(9, () => call('open', { file: 'readme' }, 'Welcome')), 'repeated-call', 4],
  [
    'one call with a new thought each time',
    rounds(9, (time) => ({ ...call('open', { file: 'readme' }, 'Welcome'), text: `Now for try ${time}` })),
    'repeated-call',
    4,
  ],
  [
    'one call with its arguments in another order',
    rounds(9, (time) =>
      call('find', time % 2 === 0 ? { term: 'tax', in: 'src' } : { in: 'src', term: 'tax' }, 'nothing'),
    ),
    'repeated-call',
    4,
  ],
  [
    'one call and a clock that ticks',
    rounds(9, (time) => call('find', { term: 'tax' }, `nothing, at 09:30:1${time} in ${30 + time} ms`)),
    'repeated-call',
    4,
  ],
  [
    'one edit that cannot fit',
    rounds(9, () => fail('edit', { path: 'tax.ts', old: 'rate', new: 'fee' }, 'text to replace not found')),
    'repeated-failure',
    4,
  ],
  ['one test suite that will not pass by itself', rounds(9, () => suite('3 failed')), 'repeated-failure', 4],
  [
    'one wall, whatever the words',
    rounds(9, (time) => fail('mail', { to: `user${time}` }, 'Error 401: token expired')),
    'error-streak',
    7,
  ],
  [
    'one wall, whatever the tool',
    rounds(9, (time) => fail(['list', 'open', 'write'][time % 3] ?? '', { time }, 'disk is read-only')),
    'error-streak',
    7,
  ],
  [
    'two calls in turn',
    rounds(9, () => [call('open', { file: 'a' }, 'A'), call('list', { dir: '.' }, 'B')]),
    'round-and-round',
    7,
  ],
  [
    'three calls in turn, failures among them',
    rounds(9, () => [
      call('open', { file: 'a' }, 'A'),
      fail('edit', { path: 'a', old: 'q', new: 'r' }, 'not found'),
      suite('3 failed'),
    ]),
    'round-and-round',
    8,
  ],
  [
    'seven files over and over',
    rounds(5, () => rounds(7, (file) => call('open', { file: `f${file}` }, `text of ${file}`))),
    'round-and-round',
    15,
  ],
  [
    'a file written one way and the other',
    rounds(9, () => [
      call('write', { path: 'a', content: 'yes' }, 'ok'),
      call('write', { path: 'a', content: 'no' }, 'ok'),
    ]),
    'edit-and-revert',
    8,
  ],
  [
    'a file read again before each edit that cannot fit',
    rounds(9, (time) => [
      call('open', { file: 'a' }, 'A'),
      fail('edit', { path: 'a', old: `guess ${time}`, new: 'x' }, 'text to replace not found'),
    ]),
    'interleaved-errors',
    10,
  ],
  ['one sentence', rounds(6, () => say('Let me now look into the file.')), 'repeated-text', 3],
];

const doubtful: readonly Shape[] = [
  [
    'a suite that fails the same way with a new file read in between',
    rounds(9, (time) => [suite('3 failed'), call('open', { file: `f${time}` }, `text ${time}`)]),
    'interleaved-errors',
    0,
  ],
  [
    'new questions that get one answer',
    rounds(9, (time) => call('find', { term: `tax${time}` }, '12: import')),
    'same-answer',
    0,
  ],
  [
    'talk about the next step, in other words each time',
    ['I shall fix it.', 'On to the repair.', 'The fix comes next.', 'Time to mend this.', 'Here goes.'].map(
      say,
    ),
    'monologue',
    0,
  ],
];

const fine: readonly (readonly [title: string, work: readonly Work[]])[] = [
  [
    'a log that grows',
    rounds(30, (line) => call('shell', { command: 'tail -1 build.log' }, `compiled unit ${line}`)),
  ],
  [
    'a log that grows, and sleep in between',
    rounds(20, (line) => [
      call('output', { of: 7 }, `compiled unit ${line}`),
      call('shell', { command: 'sleep 10' }, ''),
    ]),
  ],
  [
    'many files read at the start',
    rounds(40, (file) => call('open', { file: `f${file}` }, `text of ${file}`)),
  ],
  ['many files changed', rounds(40, (file) => call('edit', { path: `f${file}` }, `changed f${file}`))],
  ['many files written, one word for each', rounds(20, (file) => call('write', { path: `f${file}` }, 'ok'))],
  [
    'a long file, page by page',
    rounds(40, (page) => call('open', { file: 'log', from: page * 50 }, `page ${page}`)),
  ],
  ['many commands', rounds(40, (index) => call('shell', { command: `step-${index}` }, `output of ${index}`))],
  [
    'failures that become fewer',
    rounds(9, (time) => [
      call('edit', { path: 'a', v: time }, `changed ${time}`),
      suite(`${9 - time} failed`),
    ]),
  ],
  [
    'the same failure until the edit that mends it',
    [
      ...rounds(6, (time) => [call('edit', { path: 'a', v: time }, `changed ${time}`), suite('3 failed')]),
      call('shell', { command: 'npm test' }, 'all passed'),
    ],
  ],
  [
    'two files changed in turn',
    rounds(12, (time) => call('edit', { path: time % 2 === 0 ? 'a' : 'b', v: time }, `changed ${time}`)),
  ],
  [
    'a look at the tree before each commit',
    rounds(12, (time) => [
      call('shell', { command: 'git status' }, `modified: f${time}`),
      call('shell', { command: `git commit -m ${time}` }, `created ${time}`),
    ]),
  ],
  [
    'a few wrong turns of different kinds',
    [
      fail('shell', { command: 'mak' }, 'mak: command not found'),
      fail('shell', { command: 'make all' }, 'no rule for the target all'),
      fail('open', { file: 'Makefile.am' }, 'there is no such file'),
      fail('shell', { command: 'make -C lib' }, 'cc1 ran out of memory'),
      call('shell', { command: 'make -j1' }, 'built'),
    ],
  ],
];

const isEnd = ({ level }: AuditVerdict): boolean => level === 'stop' || level === 'ask';

describe('an agent that is stuck [NEX-120]', () => {
  it.each(hopeless)('in %s is told so and then ended', (_, work, rule, endedBy) => {
    const verdicts = verdictsOn(work);
    expect(verdicts[0]).toMatchObject({ rule });
    const end = verdicts.find(isEnd);
    expect(end?.step).toBeLessThanOrEqual(endedBy);
    expect(verdicts.at(-1)).toBe(end);
  });

  it.each(doubtful)('perhaps, in %s, is told so and left to go on', (_, work, rule) => {
    const verdicts = verdictsOn(work);
    expect(verdicts.map((verdict) => verdict.rule)).toContain(rule);
    expect(verdicts.some(isEnd)).toBe(false);
  });
});

describe('an agent that works [NEX-120]', () => {
  it.each(fine)('through %s is never ended', (_, work) => {
    expect(verdictsOn(work).filter(isEnd)).toEqual([]);
  });

  it('is left alone altogether where each step brings something new', () => {
    const quiet = fine.filter(([, work]) => new Set(work.map(({ result }) => result)).size === work.length);
    expect(quiet.length).toBeGreaterThan(5);
    for (const [title, work] of quiet)
      expect([title, verdictsOn(work.filter(({ error }) => error !== true))]).toEqual([title, []]);
  });
});
