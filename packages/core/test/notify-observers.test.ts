import { describe, expect, it } from 'vitest';
import type { Note } from '../src/index.ts';
import { notifyObservers, type StepObservers } from '../src/turn-entry.ts';
import {
  createCall,
  toolFinished,
  verdictReached,
  modelReplied,
  userMessage,
  phaseStarted,
} from './helpers/event-builders.ts';
import { createProfileSession, runEvents } from './helpers/run-events.ts';

/** Observers that write down what they are told. */
function createRecordingObservers(): { readonly observers: StepObservers; readonly calls: string[] } {
  const observed: string[] = [];
  return {
    calls: observed,
    observers: {
      onNote: (note) => observed.push(`note ${note.type}`),
      onStateChange: ({ from, to }) => observed.push(`${from} → ${to}`),
      onRefused: ({ event, reason }) => observed.push(`refused ${event}: ${reason}`),
      onVerdict: ({ verdict }) => observed.push(`${verdict.severity}: ${verdict.reason}`),
    },
  };
}

const startedRun = runEvents(
  createProfileSession('nexora'),
  userMessage(),
  modelReplied('', createCall('a')),
);

describe('notifyObservers', () => {
  it('reports every state change, in order, after the change [NEX-71, NEX-119, RN-15, RX-12]', () => {
    const { observers, calls: observed } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, toolFinished('a')), observers);
    expect(observed).toEqual([
      'note transition',
      'executingTools → progressCheck',
      'note transition',
      'progressCheck → callingModel',
    ]);
  });

  it('reports a stuck verdict with its reason [NEX-72]', () => {
    const { observers, calls: observed } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, verdictReached('recover')), observers);
    expect(observed).toEqual(['note verdict', 'block: because recover']);
  });

  it('reports a refused event with the reason', () => {
    const { observers, calls: observed } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, userMessage('hello?')), observers);
    expect(observed).toEqual(['note refused', 'refused user-message: tools are running']);
  });

  it('reports phases only as notes', () => {
    const { observers, calls: observed } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, phaseStarted(1)), observers);
    expect(observed).toEqual(['note phase-started']);
  });

  it('returns errors thrown by observers, and still calls the others [RN-15]', () => {
    const observed: Note[] = [];
    const first = new Error('the first fails');
    const second = new Error('the second fails');
    const errors = notifyObservers(runEvents(startedRun, toolFinished('a')), {
      onNote: (note) => {
        observed.push(note);
        throw first;
      },
      onStateChange: ({ to }) => {
        if (to === 'callingModel') throw second;
      },
    });
    expect(errors).toEqual([first, first, second]);
    expect(observed).toHaveLength(2);
  });

  it('is optional: actions and session are the same with and without observers [RX-12]', () => {
    const step = runEvents(startedRun, toolFinished('a'));
    const copy = structuredClone(step);
    expect(notifyObservers(step, {})).toEqual([]);
    expect(step).toEqual(copy);
  });
});
