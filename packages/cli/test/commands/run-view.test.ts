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
