import { createSession, step, type Event, type Session } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import {
  createJsonRunView,
  createLineRunView,
  createQuietRunView,
  type RunView,
} from '../../src/run/run-view.ts';
import { captureIo } from '../capture-io.ts';

const minute = 60_000;
const outcome = { ok: true, output: 'fine' } as const;
const createReadCall = (id: string) => ({ id, tool: 'read', args: { path: id } });

/** Two phases of three: the first changes a file and is done, the second runs a test and fails. */
const phaseEvents: readonly Event[] = [
  { type: 'user-message', at: 0, text: 'go' },
  { type: 'phase-started', at: 0, number: 1, description: 'Look\x1b[31m around' },
  { type: 'model-replied', at: 0, text: '', calls: [createReadCall('a'), createReadCall('b')] },
  { type: 'tool-finished', at: 1, callId: 'a', outcome, files: [{ path: 'a.ts', hash: 'h' }] },
  { type: 'phase-started', at: 2 * minute, number: 2, description: 'Mend' },
  { type: 'tool-finished', at: 3 * minute, callId: 'b', outcome, tests: { passed: 0, failed: 1 } },
  { type: 'phase-completed', at: 4 * minute, success: false, blockers: ['the disk\nis full'] },
];

function showPhaseEvents(view: RunView): void {
  let session: Session = createSession({ id: 's', at: 0, totalPhases: 3 });
  for (const event of phaseEvents) {
    const after = step(session, event);
    view.observe({ ...after, event });
    session = after.session;
  }
}

describe('a run in phases', () => {
  it('shows the start and end of each phase as lines', () => {
    const { io, out, err } = captureIo();
    showPhaseEvents(createLineRunView(io));
    const lines = err()
      .split('\n')
      .filter((line) => line.startsWith('  phase '));
    expect(lines).toEqual([
      String.raw`  phase 1 of 3: Look\x1b[31m around`,
      '  phase 1 done in 2 min: 1 file changed',
      '  phase 2 of 3: Mend',
      '  phase 2 failed in 2 min: 1 test failed, blocked by the disk is full',
    ]);
    expect(out()).toBe('');
  });

  it('shows the start and end of each phase with the progress as JSON', () => {
    const { io, out } = captureIo();
    showPhaseEvents(createJsonRunView(io));
    const lines = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.filter(({ type }) => type.startsWith('phase-'))).toEqual([
      {
        type: 'phase-started',
        at: 0,
        number: 1,
        description: 'Look\x1b[31m around',
        progress: { done: 0, failed: 0, total: 3, percent: 0 },
      },
      {
        type: 'phase-completed',
        at: 2 * minute,
        number: 1,
        success: true,
        progress: { done: 1, failed: 0, total: 3, percent: 33 },
      },
      {
        type: 'phase-started',
        at: 2 * minute,
        number: 2,
        description: 'Mend',
        progress: { done: 1, failed: 0, total: 3, percent: 33 },
      },
      {
        type: 'phase-completed',
        at: 4 * minute,
        number: 2,
        success: false,
        progress: { done: 2, failed: 1, total: 3, percent: 66 },
      },
    ]);
  });

  it('shows no phases with --quiet', () => {
    const { io, out, err } = captureIo();
    showPhaseEvents(createQuietRunView(io));
    expect([out(), err()]).toEqual(['', '']);
  });
});

/** Shows the events of a session in lines, without color. */
function renderLines(
  events: readonly Event[],
  options: Parameters<typeof createLineRunView>[1] = {},
): string[] {
  const { io, err } = captureIo();
  const view = createLineRunView(io, options);
  let session: Session = createSession({ id: 's', at: 0 });
  for (const event of events) {
    const after = step(session, event);
    view.observe({ ...after, event });
    session = after.session;
  }
  return err().trimEnd().split('\n');
}

const go: Event = { type: 'user-message', at: 0, text: 'go' };
const reply = (...calls: Extract<Event, { type: 'model-replied' }>['calls']): Event => ({
  type: 'model-replied',
  at: 1,
  text: '',
  calls,
});
const testCall = { id: 't', tool: 'test', args: { command: 'npm test' } };
const output = Array.from({ length: 9 }, (_, line) => `line ${line}\n`).join('\n');

describe('a run in lines', () => {
  it.each([
    ['a call that succeeds', { outcome }, ['  Tested npm test']],
    [
      'a command that fails, with its last lines',
      { outcome: { ok: false, error: { kind: 'failed', message: `The command ended with 1.\n${output}` } } },
      ['  Testing npm test failed:', ...[4, 5, 6, 7, 8].map((line) => `    line ${line}`)],
    ],
    [
      'tests that fail, with their last lines',
      { outcome: { ok: true, output: { exitCode: 1, output } }, tests: { passed: 3, failed: 1 } },
      ['  Tested npm test: 3 passed, 1 failed', ...[4, 5, 6, 7, 8].map((line) => `    line ${line}`)],
    ],
    [
      'an exit code without lines',
      { outcome: { ok: true, output: { exitCode: 2 } } },
      ['  Tested npm test: exit code 2'],
    ],
    [
      'tests that pass',
      { outcome: { ok: true, output: { exitCode: 0, output } }, tests: { passed: 4, failed: 0 } },
      ['  Tested npm test: 4 passed, 0 failed'],
    ],
    [
      'a call that times out',
      { outcome: { ok: false, error: { kind: 'timeout', message: 'It took 60 s.' } } },
      ['  Testing npm test timed out:', '    It took 60 s.'],
    ],
    [
      'a canceled call',
      { outcome: { ok: false, error: { kind: 'cancelled', message: 'The user \u001b[31mstopped\nit.' } } },
      [String.raw`  Testing npm test was cancelled: The user \x1b[31mstopped⏎it.`],
    ],
  ] as const)('shows %s', (_what, finished, expected) => {
    expect(
      renderLines([go, reply(testCall), { type: 'tool-finished', at: 2, callId: 't', ...finished }]),
    ).toEqual(expected);
  });

  it('shows calls that are denied by a rule or by a person', () => {
    const asked = { id: 'e', tool: 'edit', args: { path: 'a.ts' }, permission: 'ask' } as const;
    const ruled = {
      tool: 'read',
      args: { path: 'key' },
      permission: 'deny',
      denialReason: 'a secret',
    } as const;
    expect(
      renderLines([
        go,
        reply(asked, ruled),
        { type: 'permission-decided', at: 2, callId: 'e', decision: 'deny', reason: 'not now' },
      ]),
    ).toEqual(['  Reading key was denied: a secret', '  Editing a.ts was denied: not now']);
  });

  it('shows a failure of the model that is tried again, and a pause', () => {
    const error = { kind: 'overloaded', message: 'Busy.' } as const;
    expect(
      renderLines([
        go,
        { type: 'model-failed', at: 1, error, jitter: 0 },
        { type: 'pause-requested', at: 2, reason: 'lunch' },
        { type: 'resume-requested', at: 3 },
      ]),
    ).toEqual(['  The model failed and is asked again: Busy.', '  Paused: lunch', '  Resumed']);
  });

  it('shows verdicts with the rule and the reason', () => {
    const events = [1, 2, 3, 4].flatMap((at): Event[] => [
      reply({ id: `c${at}`, tool: 'search', args: { query: 'rain' } }),
      { type: 'tool-finished', at, callId: `c${at}`, outcome },
    ]);
    const lines = renderLines([go, ...events]);
    const same = 'in a row with the same arguments and the same result';
    expect(lines[3]).toBe(`  Governor advises the agent (repeated-call): search was called 3 times ${same}`);
    expect(lines[5]).toBe(`  Governor ends the work (repeated-call): search was called 4 times ${same}`);
  });

  it('shows an answer only if it is not given the result', () => {
    const answer: Event = { ...go, type: 'model-replied', text: 'Forty-two.', calls: [] };
    expect(renderLines([go, answer])).toEqual(['']);
    expect(renderLines([go, answer], { showsAnswers: true })).toEqual(['Forty-two.']);
  });
});
