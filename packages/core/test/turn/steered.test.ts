import { describe, expect, it } from 'vitest';
import { conversationOf, toArray, type Message, type Session, type Settings } from '../../src/index.ts';
import { agendaOf } from '../../src/turn/agenda.ts';
import {
  asksToFinish,
  asksToPage,
  call,
  cancels,
  denies,
  endsPhase,
  fails,
  finishes,
  halts,
  hooksFinish,
  judged,
  overflows,
  paged,
  pagingFails,
  pauses,
  recovers,
  replies,
  resumes,
  retryIsDue,
  says,
  shutsDown,
  starts,
  startsPhase,
  steers,
  worked,
} from '../helpers/happenings.ts';
import { faultsIn } from '../helpers/history.ts';
import { heldNames, requestOf, sample } from '../helpers/samples.ts';
import {
  actionOf,
  actionTypes,
  path,
  refusal,
  sessionOf,
  tell,
  turnIn,
  type Happening,
} from '../helpers/tell.ts';

const pawl = (settings: Partial<Settings> = {}): Session => sessionOf('pawl', { settings });
const asked = tell(pawl(), says('first'));
const busyNames = heldNames.filter((name) => name !== 'waitingForUser');

/** A conversation in short: who said what, and which calls got a result. */
function told({ session }: { readonly session: Session }): readonly string[] {
  return toArray(conversationOf(session)).map(inShort);
}

function inShort(message: Message): string {
  switch (message.role) {
    case 'user':
      return `user: ${message.text}`;
    case 'assistant':
      return message.calls.length === 0 ? `model: ${message.text}` : `model: calls ${message.calls.length}`;
    case 'tool':
      return `tool: ${message.callId}`;
  }
}

describe.each(busyNames)('what is said in %s', (name) => {
  const before = sample(pawl(), name);
  const after = tell(before, steers('one'), steers('two'));

  it('is kept in order, and the work under way goes on', () => {
    expect(refusal(after)).toBeUndefined();
    expect(after.actions).toEqual([{ type: 'wait', until: null }]);
    expect(agendaOf(after.session.turn).said).toEqual(['one', 'two']);
    expect(requestOf(after)).toBe(requestOf(before));
    expect(after.session.seq).toBe(before.session.seq + 2);
    expect(told(after)).toEqual(told(before));
  });

  it('changes nothing else of the state', () => {
    const without = JSON.stringify(after.session.turn).replaceAll(',"said":["one","two"]', '');
    expect(JSON.parse(without)).toEqual(before.session.turn);
  });

  it('is kept the same way during a pause', () => {
    const paused = tell(before, pauses(), steers('one'), resumes());
    expect(agendaOf(paused.session.turn).said).toEqual(['one']);
  });

  it.each([
    ['cancel', cancels(), 'waitingForUser'],
    ['halt', halts(), 'halted'],
    ['shutdown', shutsDown(), 'shuttingDown'],
    ['verdict to halt', judged('halt'), 'halted'],
  ] as const)('stays in the conversation after a %s, and the model is not asked', (_, end, status) => {
    for (const ended of [tell(after, end), tell(after, pauses(), end)]) {
      expect(ended.session.turn.status).toBe(status);
      expect(told(ended).slice(-2)).toEqual(['user: one', 'user: two']);
      expect(actionTypes(ended)).not.toContain('ask-model');
      expect(faultsIn(conversationOf(ended.session))).toEqual([]);
    }
  });
});

describe('the model hears what was said', () => {
  const oneCall = tell(asked, replies('', call('a')));

  it('after the results of the calls that were under way', () => {
    const after = tell(oneCall, starts('a'), steers('one'), steers('two'), finishes('a'));
    expect(path(after)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
    expect(told(after)).toEqual(['user: first', 'model: calls 1', 'tool: a', 'user: one', 'user: two']);
    expect(actionOf(after, 'ask-model').conversation).toBe(conversationOf(after.session));
    expect(agendaOf(after.session.turn)).toEqual({
      phaseChanges: 0,
      failedPhase: null,
      verdict: null,
      finish: null,
    });
  });

  it('once: what came in time for one call is not said again before the next', () => {
    const after = tell(oneCall, steers('one'), finishes('a'), replies('', call('b')), finishes('b'));
    expect(told(after).filter((line) => line === 'user: one')).toHaveLength(1);
  });

  it('also where the profile does not check every round', () => {
    const after = tell(
      pawl({ progressCheck: false }),
      says('first'),
      replies('', call('a')),
      steers('one'),
      finishes('a'),
    );
    expect(path(after)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
    expect(told(after).at(-1)).toBe('user: one');
  });

  it('instead of waiting for the user when its reply would have ended the turn', () => {
    const after = tell(asked, steers('one'), replies('done'));
    expect(path(after)).toEqual(['callingModel', 'processingResponse', 'progressCheck', 'callingModel']);
    expect(actionTypes(after)).toEqual(['ask-model']);
    expect(told(after)).toEqual(['user: first', 'model: done', 'user: one']);
    expect(tell(after, replies('done too')).session.turn.status).toBe('waitingForUser');
  });

  it('instead of waiting for the user when a tool says that all is done', () => {
    const after = tell(oneCall, steers('one'), finishes('a', worked('all', true)));
    expect(actionTypes(after)).toEqual(['ask-model']);
    expect(told(after).slice(-2)).toEqual(['tool: a', 'user: one']);
  });

  it.each<[string, readonly Happening[], readonly Happening[]]>([
    ['hooks', [replies('', call('a', 'bash')), finishes('a')], [hooksFinish()]],
    ['a retry', [fails()], [retryIsDue()]],
    ['room was made', [overflows()], [paged()]],
    ['a recovery', [replies('', call('a')), judged('recover'), finishes('a')], [recovers()]],
    [
      'a recovery that found no way out',
      [replies('', call('a')), judged('recover'), finishes('a')],
      [recovers({ kind: 'give-up', reason: 'no way out' })],
    ],
    [
      'a recovery with nothing that may run',
      [replies('', call('a')), judged('recover'), finishes('a')],
      [recovers({ kind: 'run-tools', calls: [call('r', 'bash', 'ask')] })],
    ],
    ['every call was denied', [replies('', call('a', 'bash', 'ask'))], [denies('a')]],
    ['the model failed for good', [], [fails({ retryable: false })]],
    ['a reply nobody understood', [], [{ type: 'model-replied', text: '?', calls: [], problem: 'no JSON' }]],
  ])('after %s', (_, before, answer) => {
    const after = tell(asked, ...before, steers('one'), ...answer);
    expect(after.session.turn.status).toBe('callingModel');
    expect(actionTypes(after)).toContain('ask-model');
    expect(told(after).at(-1)).toBe('user: one');
    expect(faultsIn(conversationOf(after.session))).toEqual([]);
    expect(agendaOf(after.session.turn).said).toBeUndefined();
  });

  it('after room was made that nobody had asked the model for', () => {
    const after = tell(pawl(), asksToPage(), steers('one'), paged());
    expect(actionTypes(after)).toEqual(['ask-model']);
    expect(told(after)).toEqual(['user: one']);
  });

  it('after room could not be made, and says why', () => {
    const after = tell(pawl({ maxRetries: 1 }), asksToPage(), steers('one'), pagingFails());
    expect(actionTypes(after)).toEqual(['show-error', 'ask-model']);
  });

  it('in its last answer, when it was asked to finish', () => {
    const after = tell(oneCall, asksToFinish('time is up'), steers('one'), finishes('a'));
    expect(actionOf(after, 'ask-model')).toMatchObject({ tools: false, advice: 'time is up' });
    expect(told(after).at(-1)).toBe('user: one');
  });

  it('after its last answer, with tools again, if it was said in the meantime', () => {
    const last = tell(oneCall, asksToFinish(), finishes('a'));
    const after = tell(last, steers('one'), replies('the end'));
    expect(actionOf(after, 'ask-model').tools).toBe(true);
    expect(told(after).slice(-2)).toEqual(['model: the end', 'user: one']);
  });

  it('together with a change of phase, which is passed through first', () => {
    const after = tell(oneCall, steers('one'), startsPhase(2), finishes('a'));
    expect(path(after)).toEqual([
      'executingTools',
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'callingModel',
    ]);
    expect(told(after).at(-1)).toBe('user: one');
  });

  it.each(['advise', 'refuse', 'run', 'recover', 'ask'] as const)(
    'rather than the answer to a verdict to %s, of which the advice is left',
    (response) => {
      const after = tell(oneCall, judged(response), steers('one'), finishes('a'));
      expect(actionOf(after, 'ask-model').advice).toBe(`advice ${response}`);
      expect(after.session.turn.status).toBe('callingModel');
      expect(told(after).at(-1)).toBe('user: one');
    },
  );

  it('at once when nothing is under way, and the request is a new one', () => {
    const after = tell(tell(asked, replies('done')), steers('one'));
    expect(path(after)).toEqual(['waitingForUser', 'callingModel']);
    expect(told(after).at(-1)).toBe('user: one');
    expect(turnIn(after, 'callingModel').request).toBe(after.session.seq);
  });
});

describe('a session that ends by itself', () => {
  it('keeps in its conversation what was said during its last answer', () => {
    const last = tell(asked, judged('finish'), replies('', call('a')));
    const after = tell(last, steers('one'), replies('the end'));
    expect(after.session.turn).toMatchObject({ status: 'halted', why: { kind: 'stuck' } });
    expect(told(after).slice(-2)).toEqual(['model: the end', 'user: one']);
  });

  it('keeps it when the last answer does not come', () => {
    const last = tell(asked, judged('finish'), replies('', call('a')));
    const after = tell(last, steers('one'), fails({ retryable: false }));
    expect(after.session.turn.status).toBe('halted');
    expect(told(after).at(-1)).toBe('user: one');
  });

  it('keeps it when a failed phase ends the work', () => {
    const start = sessionOf('nexora', { settings: { haltOnFailedPhase: true } });
    const working = tell(start, startsPhase(1, 'begin'), replies('', call('a')), steers('one'));
    for (const after of [
      tell(working, endsPhase(false), finishes('a')),
      tell(working, endsPhase(false), cancels()),
    ]) {
      expect(after.session.turn).toMatchObject({ status: 'halted', why: { kind: 'phase-failed' } });
      expect(told(after).slice(-2)).toEqual(['tool: a', 'user: one']);
    }
  });

  it('takes nothing any more that is said to it', () => {
    const after = tell(asked, halts(), steers('one'));
    expect(refusal(after)).toBe('the session has ended');
    expect(told(after)).toEqual(['user: first']);
  });
});

describe('a message to a busy session', () => {
  it('is still refused, and calls off the work where the profile says so, with what was said kept', () => {
    const after = tell(pawl({ onInvalidEvent: 'reset' }), says('first'), steers('one'), says('two'));
    expect(after.session.turn.status).toBe('waitingForUser');
    expect(told(after)).toEqual(['user: first', 'user: one']);
  });
});
