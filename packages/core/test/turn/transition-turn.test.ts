import { describe, expect, it } from 'vitest';
import {
  createCall,
  toolFinished,
  modelReplied,
  userMessage,
  toolStarted,
  phaseStarted,
} from '../helpers/event-builders.ts';
import { createProfileSession, runEvents } from '../helpers/run-events.ts';

const callingRun = runEvents(createProfileSession('pawl'), { ...userMessage(), at: 1_000 });
const busyRun = runEvents(callingRun, { ...modelReplied('', createCall('a')), at: 1_500 });

describe('a transition note', () => {
  it('has the source, target, cause, time and duration [LOOM-87]', () => {
    expect(callingRun.notes).toEqual([
      {
        type: 'transition',
        at: 1_000,
        from: 'waitingForUser',
        to: 'callingModel',
        cause: 'user-message',
        durationMs: 1_000,
      },
    ]);
  });

  it('assigns the duration to the state that was left, and none to transient states', () => {
    const run = runEvents(busyRun, { ...toolStarted('a'), at: 1_700 }, { ...toolFinished('a'), at: 2_300 });
    expect(run.notes).toMatchObject([
      { from: 'executingTools', to: 'progressCheck', durationMs: 800 },
      { from: 'progressCheck', to: 'callingModel', durationMs: 0 },
    ]);
  });

  it('assigns it to that state alone, however many transient states follow', () => {
    const run = runEvents(busyRun, { ...phaseStarted(1), at: 1_700 }, { ...toolFinished('a'), at: 2_300 });
    const times = run.notes.map((note) => note.type === 'transition' && note.durationMs);
    expect(times).toEqual([800, 0, 0, 0]);
  });

  it('never has a negative duration, even if the clock went back', () => {
    const run = runEvents(busyRun, { ...toolFinished('a'), at: 100 });
    expect(run.notes).toMatchObject([{ durationMs: 0 }, { durationMs: 0 }]);
  });

  it('is not created when the status stays', () => {
    expect(runEvents(busyRun, toolStarted('a')).notes).toEqual([]);
  });
});
