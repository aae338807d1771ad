import { describe, expect, it } from 'vitest';
import { notify, type Note, type Observers } from '../src/index.ts';
import { call, finishes, judged, replies, says, startsPhase } from './helpers/happenings.ts';
import { sessionOf, tell } from './helpers/tell.ts';

/** Observers that write down what they are told. */
function recording(): { readonly observers: Observers; readonly heard: string[] } {
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

const begun = tell(sessionOf('nexora'), says(), replies('', call('a')));

describe('notify', () => {
  it('tells of every change of state, in order, after the change [NEX-71, NEX-119, RN-15, RX-12]', () => {
    const { observers, heard } = recording();
    notify(tell(begun, finishes('a')), observers);
    expect(heard).toEqual([
      'note transition',
      'executingTools → progressCheck',
      'note transition',
      'progressCheck → callingModel',
    ]);
  });

  it('tells of a stuck verdict with its reason [NEX-72]', () => {
    const { observers, heard } = recording();
    notify(tell(begun, judged('recover')), observers);
    expect(heard).toEqual(['note verdict', 'stuck: because recover']);
  });

  it('tells of a refused event with the reason', () => {
    const { observers, heard } = recording();
    notify(tell(begun, says('hello?')), observers);
    expect(heard).toEqual(['note refused', 'refused user-message: tools are running']);
  });

  it('tells of phases as notes alone', () => {
    const { observers, heard } = recording();
    notify(tell(begun, startsPhase(1)), observers);
    expect(heard).toEqual(['note phase-started']);
  });

  it('hands back what observers throw, and tells the others all the same [RN-15]', () => {
    const heard: Note[] = [];
    const first = new Error('the first fails');
    const second = new Error('the second fails');
    const thrown = notify(tell(begun, finishes('a')), {
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

  it('needs no observer: actions and session are the same with and without [RX-12]', () => {
    const step = tell(begun, finishes('a'));
    const copy = structuredClone(step);
    expect(notify(step, {})).toEqual([]);
    expect(step).toEqual(copy);
  });
});
