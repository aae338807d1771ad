import { describe, expect, it } from 'vitest';
import { conversationOf, toArray, type Response, type Settings } from '../../src/index.ts';
import {
  allows,
  asksToFinish,
  broke,
  call,
  denies,
  endsPhase,
  fails,
  finishes,
  hooksFinish,
  judged,
  overflows,
  paged,
  pagingFails,
  recovers,
  replies,
  retryIsDue,
  says,
  startsPhase,
  worked,
} from '../helpers/happenings.ts';
import { faultsIn } from '../helpers/history.ts';
import { sample, type SampleName } from '../helpers/samples.ts';
import {
  actionOf,
  actionTypes,
  path,
  refusal,
  sessionOf,
  tell,
  turnIn,
  type Happening,
  type Told,
} from '../helpers/tell.ts';

const pawl = (settings: Partial<Settings> = {}) => sessionOf('pawl', { settings });
const asked = tell(pawl(), says());
const busy = tell(asked, replies('', call('a')));

const busyNames: readonly SampleName[] = [
  'callingModel, fresh',
  'callingModel, finishing',
  'awaitingPermission, two open',
  'executingTools, pending',
  'postToolsHook',
  'errorRecovery, model',
  'errorRecovery, tool',
  'errorRecovery, hooks',
  'errorRecovery, paging',
  'paging, for the model',
  'paging, for the user',
];

const anotherRound = [replies('', call('z')), finishes('z')];

/** What happens from a state on until progress is checked. */
const onwards: { readonly [Name in SampleName]?: readonly Happening[] } = {
  'callingModel, fresh': anotherRound,
  'callingModel, with an agenda': [replies('', call('z'), call('y', 'bash', 'deny')), finishes('z')],
  'callingModel, streaming': [replies('', call('z', 'read', 'ask')), allows('z'), finishes('z')],
  'awaitingPermission, two open': [allows('a'), denies('b'), finishes('a', broke()), finishes('c')],
  'executingTools, pending': [finishes('a'), finishes('b')],
  postToolsHook: [hooksFinish()],
  'errorRecovery, model': [retryIsDue(), ...anotherRound],
  'errorRecovery, tool': [recovers(), ...anotherRound],
  'errorRecovery, hooks': [retryIsDue(), hooksFinish()],
  'errorRecovery, paging': [retryIsDue(), paged(), ...anotherRound],
  'paging, for the model': [paged(), ...anotherRound],
};

describe('what is asked for while work is under way', () => {
  it.each(busyNames)('in %s is kept, and the work goes on untouched', (name) => {
    const before = sample(pawl(), name);
    for (const happening of [
      asksToFinish(),
      judged('advise'),
      judged('run'),
      judged('recover'),
      judged('finish'),
    ]) {
      const told = tell(before, happening);
      expect(told.session.turn.status).toBe(before.session.turn.status);
      expect(told.actions).toEqual([{ type: 'wait', until: null }]);
      expect(told.session.seq).toBe(before.session.seq + 1);
    }
  });

  it.each(Object.entries(onwards))('in %s is worked off at the next check', (name, tale) => {
    const before = sample(pawl(), name as SampleName);
    const stuck = tell(before, judged('recover'), ...tale);
    expect(actionTypes(stuck)).toEqual(['recover']);
    const phased = tell(before, startsPhase(7), ...tale);
    expect(path(phased)).toEqual(expect.arrayContaining(['progressCheck', 'phaseTransition']));
    const last = tell(before, asksToFinish(), ...tale);
    expect(turnIn(last, 'callingModel').ask.finish).toMatchObject({ reason: 'time is up', ends: 'turn' });
  });

  it('is refused while waiting for the user', () => {
    const before = sample(pawl(), 'waitingForUser');
    for (const happening of [asksToFinish(), judged('recover')]) {
      const told = tell(before, happening);
      expect(refusal(told)).toBe('nothing is under way');
      expect(told.session).toBe(before.session);
    }
  });

  it('is told of as a note when it is a verdict that is taken, and not when it is refused', () => {
    const taken = tell(busy, judged('recover'));
    expect(taken.notes).toMatchObject([{ type: 'verdict', at: taken.at, verdict: { rule: 'rule-recover' } }]);
    expect(tell(pawl(), judged('recover')).notes.map(({ type }) => type)).toEqual(['refused']);
  });

  it('while the user pages comes to nothing: the user has the word when memory has made room', () => {
    for (const happening of [asksToFinish(), judged('run'), judged('recover'), judged('finish')]) {
      const told = tell(sample(pawl(), 'paging, for the user'), happening, paged());
      expect(path(told)).toEqual(['paging', 'progressCheck', 'waitingForUser']);
      expect(told.actions).toEqual([{ type: 'wait', until: null }]);
    }
  });

  it('makes a check even where no progress is checked', () => {
    const plain = tell(sessionOf('loom'), says(), replies('', call('a')));
    expect(path(tell(plain, finishes('a')))).toEqual(['executingTools', 'callingModel']);
    expect(path(tell(plain, judged('advise'), finishes('a')))).toEqual([
      'executingTools',
      'progressCheck',
      'callingModel',
    ]);
  });

  it('survives hooks, retries and paging', () => {
    const hooked = tell(
      asked,
      replies('', call('a', 'bash')),
      judged('recover'),
      finishes('a'),
      hooksFinish(),
    );
    expect(actionTypes(hooked)).toEqual(['recover']);
    const retried = tell(asked, asksToFinish(), fails(), retryIsDue(), replies('', call('a')));
    expect(actionOf(retried, 'ask-model').tools).toBe(false);
  });

  it('is over when the turn is: a verdict does not reach into the next turn', () => {
    const told = tell(asked, judged('recover'), replies('done'));
    expect(path(told)).toEqual(['callingModel', 'processingResponse', 'progressCheck', 'waitingForUser']);
    expect(actionOf(tell(told, says()), 'ask-model')).toMatchObject({ advice: null, tools: true });
  });
});

describe('a wish to finish', () => {
  it('makes one last call without tools, and its answer ends the turn', () => {
    const last = tell(busy, asksToFinish('time is up'), finishes('a'));
    expect(actionOf(last, 'ask-model')).toMatchObject({ tools: false, advice: 'time is up' });
    const told = tell(last, replies('in short'));
    expect(path(told)).toEqual(['callingModel', 'processingResponse', 'waitingForUser']);
    expect(actionOf(tell(told, says('go on')), 'ask-model')).toMatchObject({ tools: true, advice: null });
  });

  it('skips the calls of a reply that was already under way', () => {
    const told = tell(asked, asksToFinish(), replies('', call('a', 'bash'), call('b')));
    expect(path(told)).toEqual(['callingModel', 'processingResponse', 'progressCheck', 'callingModel']);
    const results = toArray(conversationOf(told.session)).filter((message) => message.role === 'tool');
    expect(results.map(({ outcome }) => !outcome.ok && outcome.error.kind)).toEqual(['skipped', 'skipped']);
  });

  it('drops the calls of the last answer and keeps its text', () => {
    const told = tell(asked, asksToFinish(), replies('', call('a')), replies('in short', call('b')));
    expect(told.session.turn.status).toBe('waitingForUser');
    expect(toArray(conversationOf(told.session)).at(-1)).toMatchObject({ text: 'in short', calls: [] });
    expect(faultsIn(conversationOf(told.session))).toEqual([]);
  });

  it('is met by a reply that ends the turn by itself', () => {
    expect(tell(asked, asksToFinish(), replies('done')).session.turn.status).toBe('waitingForUser');
  });

  it('keeps the last call a last call while it is retried', () => {
    const told = tell(busy, asksToFinish(), finishes('a'), fails(), retryIsDue());
    expect(actionOf(told, 'ask-model')).toMatchObject({ tools: false, attempt: 2 });
  });
});

describe('a verdict', () => {
  it('to advise puts its advice into the next prompt, and only into that one', () => {
    const told = tell(busy, judged('advise'), finishes('a'));
    expect(actionOf(told, 'ask-model')).toMatchObject({ advice: 'advice advise', tools: true });
    expect(actionOf(tell(told, replies('', call('b')), finishes('b')), 'ask-model').advice).toBeNull();
    expect(JSON.stringify(conversationOf(told.session))).not.toContain('advice advise');
  });

  it('to run calls runs them as the calls of an assistant, so that every result has its call', () => {
    const told = tell(
      busy,
      judged({ kind: 'run', calls: [call('r', 'read'), call('', 'search')] }),
      finishes('a'),
    );
    expect(path(told)).toEqual(['executingTools', 'progressCheck', 'executingTools']);
    const { calls, request } = actionOf(told, 'run-tools');
    expect(calls.map(({ tool }) => tool)).toEqual(['read', 'search']);
    expect(request).toBe(told.session.seq);
    const after = tell(told, ...calls.map(({ id }) => finishes(id)));
    expect(actionTypes(after)).toEqual(['ask-model']);
    expect(faultsIn(conversationOf(after.session))).toEqual([]);
  });

  it('to run calls asks nobody: what needs permission is denied', () => {
    const response: Response = { kind: 'run', calls: [call('x', 'bash', 'ask'), call('y', 'bash', 'deny')] };
    const told = tell(busy, judged(response), finishes('a'));
    expect(path(told)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
    expect(faultsIn(conversationOf(told.session))).toEqual([]);
    const results = toArray(conversationOf(told.session)).slice(-2);
    expect(results).toMatchObject([
      { outcome: { error: { kind: 'denied' } } },
      { outcome: { error: { kind: 'denied' } } },
    ]);
    const some = tell(busy, judged({ kind: 'run', calls: [...response.calls, call('z')] }), finishes('a'));
    expect(actionOf(some, 'run-tools').calls.map(({ id }) => id)).toEqual(['z']);
  });

  it('to finish makes a last call with its advice, and the answer ends the session', () => {
    const last = tell(busy, judged('finish'), finishes('a'));
    expect(actionOf(last, 'ask-model')).toMatchObject({ tools: false, advice: 'advice finish' });
    const told = tell(last, replies('in short'));
    expect(path(told)).toEqual(['callingModel', 'processingResponse', 'halted']);
    const why = { kind: 'stuck', reason: 'because finish', rule: 'rule-finish' };
    expect(told.actions).toEqual([{ type: 'stop', why }]);
    expect(toArray(conversationOf(told.session)).at(-1)).toMatchObject({ text: 'in short' });
  });

  it('to finish ends the session also when the last call fails for good', () => {
    const told = tell(busy, judged('finish'), finishes('a'), fails({ retryable: false }));
    expect(told.session.turn.status).toBe('halted');
    expect(actionTypes(told)).toEqual(['show-error', 'stop']);
  });

  it('to finish ends the session also when no room can be made for the last call', () => {
    const last = tell(
      tell(pawl({ maxRetries: 2 }), says(), replies('', call('a'))),
      judged('finish'),
      finishes('a'),
    );
    const told = tell(last, overflows(), pagingFails(), retryIsDue(), pagingFails());
    expect(told.session.turn.status).toBe('halted');
    expect(actionTypes(told)).toEqual(['show-error', 'stop']);
  });

  it('to halt halts from every state with work', () => {
    for (const name of busyNames) {
      const told = tell(sample(pawl(), name), judged('halt'));
      expect([name, actionTypes(told)]).toEqual([name, ['abort', 'stop']]);
      expect(told.notes[0]).toMatchObject({ type: 'verdict' });
    }
    expect(actionTypes(tell(pawl(), judged('halt')))).toEqual(['stop']);
  });
});

/** What the next check does. */
const does = (told: Told): string => {
  const { actions } = tell(told, finishes('a'));
  const [action] = actions;
  if (action?.type !== 'ask-model') return action?.type ?? 'nothing';
  return action.tools ? 'advise' : 'finish';
};

describe('of several verdicts', () => {
  const kinds = ['advise', 'run', 'recover', 'finish'] as const;
  const asAction = { advise: 'advise', run: 'run-tools', recover: 'recover', finish: 'finish' } as const;

  it.each(
    kinds.flatMap((first, one) =>
      kinds.map((second, two) => [first, second, kinds[Math.max(one, two)]] as const),
    ),
  )('one to %s and then one to %s, the graver is acted on: %s', (first, second, graver) => {
    expect(does(tell(busy, judged(first), judged(second)))).toBe(asAction[graver ?? 'advise']);
  });

  it('of the same gravity the later is acted on', () => {
    const told = tell(
      busy,
      judged('advise', { advice: 'one' }),
      judged('advise', { advice: 'two' }),
      finishes('a'),
    );
    expect(actionOf(told, 'ask-model').advice).toBe('two');
  });

  it('one to finish the session is not softened by a wish to finish the turn', () => {
    const told = tell(busy, judged('finish'), asksToFinish(), finishes('a'), replies('in short'));
    expect(told.session.turn.status).toBe('halted');
  });
});

describe('recovery', () => {
  const stuck = tell(busy, judged('recover'), finishes('a', broke()));

  it('asks the model with the advice found, or with that of the verdict', () => {
    const own = tell(stuck, recovers({ kind: 'ask-model', advice: 'try the other file' }));
    expect(actionOf(own, 'ask-model')).toMatchObject({ advice: 'try the other file', attempt: 1 });
    expect(actionOf(tell(stuck, recovers()), 'ask-model').advice).toBe('advice recover');
  });

  it('runs the calls found', () => {
    const told = tell(stuck, recovers({ kind: 'run-tools', calls: [call('w', 'write')] }));
    expect(path(told)).toEqual(['errorRecovery', 'executingTools']);
    expect(actionTypes(tell(told, finishes('w')))).toEqual(['run-hooks']);
  });

  it('keeps what came meanwhile, whichever way out is found', () => {
    const ways: readonly (readonly Happening[])[] = [
      [recovers({ kind: 'run-tools', calls: [call('w')] }), finishes('w')],
      [
        recovers({ kind: 'run-tools', calls: [call('w', 'bash', 'deny')] }),
        replies('', call('z')),
        finishes('z'),
      ],
      [recovers({ kind: 'check' })],
    ];
    for (const way of ways) expect(actionTypes(tell(stuck, judged('recover'), ...way))).toEqual(['recover']);
  });

  it('asks the model when it found no calls to run, or none that may run', () => {
    for (const calls of [[], [call('w', 'write', 'deny')]]) {
      const told = tell(stuck, recovers({ kind: 'run-tools', calls }));
      expect(actionTypes(told)).toEqual(['ask-model']);
      expect(actionOf(told, 'ask-model').attempt).toBe(1);
      expect(faultsIn(conversationOf(told.session))).toEqual([]);
    }
  });

  it('goes back to the check even where no progress is checked', () => {
    const plain = tell(sessionOf('loom'), says(), replies('', call('a')), judged('recover'), finishes('a'));
    expect(path(tell(plain, recovers({ kind: 'check' })))).toEqual([
      'errorRecovery',
      'progressCheck',
      'callingModel',
    ]);
  });

  it('goes back to the check, where what came meanwhile is worked off', () => {
    const told = tell(stuck, judged('recover'), recovers({ kind: 'check' }));
    expect(path(told)).toEqual(['errorRecovery', 'progressCheck', 'errorRecovery']);
    expect(actionOf(told, 'recover').attempt).toBe(2);
  });

  it('gives up: the user is told and has the word', () => {
    const told = tell(stuck, recovers({ kind: 'give-up', reason: 'no way out' }));
    expect(path(told)).toEqual(['errorRecovery', 'waitingForUser']);
    expect(told.actions).toEqual([{ type: 'show-error', kind: 'refused', message: 'no way out' }]);
  });

  it('gives up in a failed phase that ends the session, and asks to stop', () => {
    const start = pawl({ haltOnFailedPhase: true });
    const failing = tell(
      start,
      startsPhase(1, 'go'),
      replies('', call('a')),
      judged('recover'),
      finishes('a'),
    );
    const told = tell(failing, endsPhase(false), recovers({ kind: 'give-up', reason: 'no way out' }));
    expect(told.session.turn.status).toBe('halted');
    expect(actionTypes(told)).toEqual(['show-error', 'stop']);
  });

  it('halts with the rule that was broken', () => {
    const told = tell(stuck, recovers({ kind: 'halt', reason: 'hopeless' }));
    expect(turnIn(told, 'halted').why).toEqual({ kind: 'stuck', reason: 'hopeless', rule: 'rule-recover' });
  });

  it('is bounded, then the session halts [RN-02]', () => {
    for (const maxRecoveries of [0, 1, 2, 3]) {
      // Without the governor, which would end this by itself.
      const settings = { maxRecoveries, governor: { preset: 'none', rules: {} } } as const;
      let told = tell(tell(pawl(settings), says()), replies('', call('a')));
      let recoveries = 0;
      while (told.session.turn.status === 'executingTools') {
        told = tell(told, judged('recover'), finishes('a', broke()));
        if (told.session.turn.status !== 'errorRecovery') break;
        recoveries += 1;
        told = tell(told, recovers(), replies('', call('a')));
      }
      expect([recoveries, told.session.turn.status]).toEqual([maxRecoveries, 'halted']);
    }
  });

  it('is counted afresh after a message of the user [RN-02]', () => {
    const once = tell(stuck, recovers(), replies('done'));
    expect(once.session.governor.recoveries).toBe(1);
    expect(tell(once, says('again')).session.governor.recoveries).toBe(0);
  });

  it('is counted afresh after a change of phase [NEX-05]', () => {
    expect(tell(stuck, startsPhase(2)).session.governor.recoveries).toBe(0);
  });
});

describe('a final outcome', () => {
  it('ends the turn after hooks, in spite of verdicts', () => {
    const editing = tell(asked, replies('', call('a', 'bash'), call('b', 'finish')), judged('recover'));
    const hooked = tell(editing, finishes('a'), finishes('b', worked('all done', true)));
    expect(actionTypes(hooked)).toEqual(['run-hooks']);
    const told = tell(hooked, hooksFinish());
    expect(path(told)).toEqual(['postToolsHook', 'progressCheck', 'waitingForUser']);
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('of a call that failed does not end the turn', () => {
    expect(tell(busy, finishes('a', broke())).session.turn.status).toBe('callingModel');
  });
});
