import { describe, expect, it } from 'vitest';
import { notifyObservers, type Note, type StepObservers } from '../src/index.ts';
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
function createRecordingObservers(): { readonly observers: StepObservers; readonly heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    observers: {
      onNote: (note) => heard.push(`note ${note.type}`),
      onStateChange: ({ from, to }) => heard.push(`${from} → ${to}`),
      onRefused: ({ event, reason }) => heard.push(`refused ${event}: ${reason}`),
      onVerdict: ({ verdict }) => heard.push(`${verdict.level}: ${verdict.reason}`),
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
    const { observers, heard } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, toolFinished('a')), observers);
    expect(heard).toEqual([
      'note transition',
      'executingTools → progressCheck',
      'note transition',
      'progressCheck → callingModel',
    ]);
  });

  it('reports a stuck verdict with its reason [NEX-72]', () => {
    const { observers, heard } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, verdictReached('recover')), observers);
    expect(heard).toEqual(['note verdict', 'stuck: because recover']);
  });

  it('reports a refused event with the reason', () => {
    const { observers, heard } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, userMessage('hello?')), observers);
    expect(heard).toEqual(['note refused', 'refused user-message: tools are running']);
  });

  it('reports phases only as notes', () => {
    const { observers, heard } = createRecordingObservers();
    notifyObservers(runEvents(startedRun, phaseStarted(1)), observers);
    expect(heard).toEqual(['note phase-started']);
  });

  it('returns errors thrown by observers, and still calls the others [RN-15]', () => {
    const heard: Note[] = [];
    const first = new Error('the first fails');
    const second = new Error('the second fails');
    const thrown = notifyObservers(runEvents(startedRun, toolFinished('a')), {
      onNote: (note) => {
        heard.push(note);
        throw first;
      },
      onStateChange: ({ to }) => {
        if (to === 'callingModel') throw second;
      },
    });
    expect(thrown).toEqual([first, first, second]);
    expect(heard).toHaveLength(2);
  });

  it('is optional: actions and session are the same with and without observers [RX-12]', () => {
    const step = runEvents(startedRun, toolFinished('a'));
    const copy = structuredClone(step);
    expect(notifyObservers(step, {})).toEqual([]);
    expect(step).toEqual(copy);
  });
});
