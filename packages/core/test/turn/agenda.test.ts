import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation, type VerdictResponse, type SessionSettings } from '../../src/index.ts';
import {
  permissionAllowed,
  finishRequested,
  failureOutcome,
  createCall,
  permissionDenied,
  phaseCompleted,
  modelFailed,
  toolFinished,
  hooksFinished,
  verdictReached,
  contextOverflowed,
  pagingFinished,
  pagingFailed,
  recoveryFinished,
  modelReplied,
  retryDue,
  userMessage,
  phaseStarted,
  successOutcome,
} from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { createSampleRun, type SampleName } from '../helpers/sample-runs.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
  type UntimedEvent,
  type EventRun,
} from '../helpers/run-events.ts';

const createPawlSession = (settings: Partial<SessionSettings> = {}) =>
  createProfileSession('pawl', { settings });
const callingRun = runEvents(createPawlSession(), userMessage());
const busyRun = runEvents(callingRun, modelReplied('', createCall('a')));

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

const anotherRound = [modelReplied('', createCall('z')), toolFinished('z')];

/** What happens from a state on until progress is checked. */
const eventsToCheck: { readonly [Name in SampleName]?: readonly UntimedEvent[] } = {
  'callingModel, fresh': anotherRound,
  'callingModel, with an agenda': [
    modelReplied('', createCall('z'), createCall('y', 'bash', 'deny')),
    toolFinished('z'),
  ],
  'callingModel, streaming': [
    modelReplied('', createCall('z', 'read', 'ask')),
    permissionAllowed('z'),
    toolFinished('z'),
  ],
  'awaitingPermission, two open': [
    permissionAllowed('a'),
    permissionDenied('b'),
    toolFinished('a', failureOutcome()),
    toolFinished('c'),
  ],
  'executingTools, pending': [toolFinished('a'), toolFinished('b')],
  postToolsHook: [hooksFinished()],
  'errorRecovery, model': [retryDue(), ...anotherRound],
  'errorRecovery, tool': [recoveryFinished(), ...anotherRound],
  'errorRecovery, hooks': [retryDue(), hooksFinished()],
  'errorRecovery, paging': [retryDue(), pagingFinished(), ...anotherRound],
  'paging, for the model': [pagingFinished(), ...anotherRound],
};

describe('a request while work is in progress', () => {
  it.each(busyNames)('in %s is put on the agenda, and the work continues unaffected', (name) => {
    const before = createSampleRun(createPawlSession(), name);
    for (const event of [
      finishRequested(),
      verdictReached('advise'),
      verdictReached('run'),
      verdictReached('recover'),
      verdictReached('stop'),
    ]) {
      const run = runEvents(before, event);
      expect(run.session.turn.status).toBe(before.session.turn.status);
      expect(run.actions).toEqual([{ type: 'wait', until: null }]);
      expect(run.session.seq).toBe(before.session.seq + 1);
    }
  });

  it.each(Object.entries(eventsToCheck))('in %s is processed at the next check', (name, events) => {
    const before = createSampleRun(createPawlSession(), name as SampleName);
    const stuck = runEvents(before, verdictReached('recover'), ...events);
    expect(listActionTypes(stuck)).toEqual(['recover']);
    const phased = runEvents(before, phaseStarted(7), ...events);
    expect(listStatusPath(phased)).toEqual(expect.arrayContaining(['progressCheck', 'phaseTransition']));
    const last = runEvents(before, finishRequested(), ...events);
    expect(requireTurn(last, 'callingModel').ask.finish).toMatchObject({
      reason: 'time is up',
      ends: 'turn',
    });
  });

  it('is refused while waiting for the user', () => {
    const before = createSampleRun(createPawlSession(), 'waitingForUser');
    for (const event of [finishRequested(), verdictReached('recover')]) {
      const run = runEvents(before, event);
      expect(getRefusalReason(run)).toBe('nothing is under way');
      expect(run.session).toBe(before.session);
    }
  });

  it('is reported as a note when it is an accepted verdict, and not when it is refused', () => {
    const result = runEvents(busyRun, verdictReached('recover'));
    expect(result.notes).toMatchObject([
      { type: 'verdict', at: result.at, verdict: { rule: 'rule-recover' } },
    ]);
    expect(runEvents(createPawlSession(), verdictReached('recover')).notes.map(({ type }) => type)).toEqual([
      'refused',
    ]);
  });

  it('during a requested paging has no effect: the session then waits for the user', () => {
    for (const event of [
      finishRequested(),
      verdictReached('run'),
      verdictReached('recover'),
      verdictReached('stop'),
    ]) {
      const run = runEvents(
        createSampleRun(createPawlSession(), 'paging, for the user'),
        event,
        pagingFinished(),
      );
      expect(listStatusPath(run)).toEqual(['paging', 'progressCheck', 'waitingForUser']);
      expect(run.actions).toEqual([{ type: 'wait', until: null }]);
    }
  });

  it('causes a check even if the profile checks no progress', () => {
    const plain = runEvents(createProfileSession('loom'), userMessage(), modelReplied('', createCall('a')));
    expect(listStatusPath(runEvents(plain, toolFinished('a')))).toEqual(['executingTools', 'callingModel']);
    expect(listStatusPath(runEvents(plain, verdictReached('advise'), toolFinished('a')))).toEqual([
      'executingTools',
      'progressCheck',
      'callingModel',
    ]);
  });

  it('survives hooks, retries and paging', () => {
    const hooked = runEvents(
      callingRun,
      modelReplied('', createCall('a', 'bash')),
      verdictReached('recover'),
      toolFinished('a'),
      hooksFinished(),
    );
    expect(listActionTypes(hooked)).toEqual(['recover']);
    const retried = runEvents(
      callingRun,
      finishRequested(),
      modelFailed(),
      retryDue(),
      modelReplied('', createCall('a')),
    );
    expect(requireAction(retried, 'ask-model').tools).toBe(false);
  });

  it('ends with the turn: a verdict does not affect the next turn', () => {
    const run = runEvents(callingRun, verdictReached('recover'), modelReplied('done'));
    expect(listStatusPath(run)).toEqual([
      'callingModel',
      'processingResponse',
      'progressCheck',
      'waitingForUser',
    ]);
    expect(requireAction(runEvents(run, userMessage()), 'ask-model')).toMatchObject({
      advice: null,
      tools: true,
    });
  });
});

describe('a finish request', () => {
  it('makes one last call without tools, and its answer ends the turn', () => {
    const last = runEvents(busyRun, finishRequested('time is up'), toolFinished('a'));
    expect(requireAction(last, 'ask-model')).toMatchObject({ tools: false, advice: 'time is up' });
    const run = runEvents(last, modelReplied('in short'));
    expect(listStatusPath(run)).toEqual(['callingModel', 'processingResponse', 'waitingForUser']);
    expect(requireAction(runEvents(run, userMessage('go on')), 'ask-model')).toMatchObject({
      tools: true,
      advice: null,
    });
  });

  it('skips the calls of a reply that was already in progress', () => {
    const run = runEvents(
      callingRun,
      finishRequested(),
      modelReplied('', createCall('a', 'bash'), createCall('b')),
    );
    expect(listStatusPath(run)).toEqual([
      'callingModel',
      'processingResponse',
      'progressCheck',
      'callingModel',
    ]);
    const results = toItemArray(getConversation(run.session)).filter((message) => message.role === 'tool');
    expect(results.map(({ outcome }) => !outcome.ok && outcome.error.kind)).toEqual(['skipped', 'skipped']);
  });

  it('drops the calls of the last answer and keeps its text', () => {
    const run = runEvents(
      callingRun,
      finishRequested(),
      modelReplied('', createCall('a')),
      modelReplied('in short', createCall('b')),
    );
    expect(run.session.turn.status).toBe('waitingForUser');
    expect(toItemArray(getConversation(run.session)).at(-1)).toMatchObject({ text: 'in short', calls: [] });
    expect(findConversationFaults(getConversation(run.session))).toEqual([]);
  });

  it('is fulfilled by a reply that ends the turn by itself', () => {
    expect(runEvents(callingRun, finishRequested(), modelReplied('done')).session.turn.status).toBe(
      'waitingForUser',
    );
  });

  it('stays in effect while the last call is retried', () => {
    const run = runEvents(busyRun, finishRequested(), toolFinished('a'), modelFailed(), retryDue());
    expect(requireAction(run, 'ask-model')).toMatchObject({ tools: false, attempt: 2 });
  });
});

describe('a verdict', () => {
  it('to advise puts its advice into the next prompt, and only into that one', () => {
    const run = runEvents(busyRun, verdictReached('advise'), toolFinished('a'));
    expect(requireAction(run, 'ask-model')).toMatchObject({ advice: 'advice advise', tools: true });
    expect(
      requireAction(runEvents(run, modelReplied('', createCall('b')), toolFinished('b')), 'ask-model').advice,
    ).toBeNull();
    expect(JSON.stringify(getConversation(run.session))).not.toContain('advice advise');
  });

  it("to run calls records them as an assistant's calls, so that every result has its call", () => {
    const run = runEvents(
      busyRun,
      verdictReached({ kind: 'run', calls: [createCall('r', 'read'), createCall('', 'search')] }),
      toolFinished('a'),
    );
    expect(listStatusPath(run)).toEqual(['executingTools', 'progressCheck', 'executingTools']);
    const { calls, request } = requireAction(run, 'run-tools');
    expect(calls.map(({ tool }) => tool)).toEqual(['read', 'search']);
    expect(request).toBe(run.session.seq);
    const after = runEvents(run, ...calls.map(({ id }) => toolFinished(id)));
    expect(listActionTypes(after)).toEqual(['ask-model']);
    expect(findConversationFaults(getConversation(after.session))).toEqual([]);
  });

  it('to run calls never asks for permission: calls that need it are denied', () => {
    const response: VerdictResponse = {
      kind: 'run',
      calls: [createCall('x', 'bash', 'ask'), createCall('y', 'bash', 'deny')],
    };
    const run = runEvents(busyRun, verdictReached(response), toolFinished('a'));
    expect(listStatusPath(run)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
    expect(findConversationFaults(getConversation(run.session))).toEqual([]);
    const results = toItemArray(getConversation(run.session)).slice(-2);
    expect(results).toMatchObject([
      { outcome: { error: { kind: 'denied' } } },
      { outcome: { error: { kind: 'denied' } } },
    ]);
    const partial = runEvents(
      busyRun,
      verdictReached({ kind: 'run', calls: [...response.calls, createCall('z')] }),
      toolFinished('a'),
    );
    expect(requireAction(partial, 'run-tools').calls.map(({ id }) => id)).toEqual(['z']);
  });

  it('to stop makes a last call with its advice, and the answer ends the session', () => {
    const last = runEvents(busyRun, verdictReached('stop'), toolFinished('a'));
    expect(requireAction(last, 'ask-model')).toMatchObject({ tools: false, advice: 'advice stop' });
    const run = runEvents(last, modelReplied('in short'));
    expect(listStatusPath(run)).toEqual(['callingModel', 'processingResponse', 'halted']);
    const haltReason = { kind: 'stuck', reason: 'because stop', rule: 'rule-stop' };
    expect(run.actions).toEqual([{ type: 'stop', haltReason }]);
    expect(toItemArray(getConversation(run.session)).at(-1)).toMatchObject({ text: 'in short' });
  });

  it('to stop ends the session also when the last call fails permanently', () => {
    const run = runEvents(
      busyRun,
      verdictReached('stop'),
      toolFinished('a'),
      modelFailed({ retryable: false }),
    );
    expect(run.session.turn.status).toBe('halted');
    expect(listActionTypes(run)).toEqual(['show-error', 'stop']);
  });

  it('to stop ends the session also when no room can be made for the last call', () => {
    const last = runEvents(
      runEvents(createPawlSession({ maxRetries: 2 }), userMessage(), modelReplied('', createCall('a'))),
      verdictReached('stop'),
      toolFinished('a'),
    );
    const run = runEvents(last, contextOverflowed(), pagingFailed(), retryDue(), pagingFailed());
    expect(run.session.turn.status).toBe('halted');
    expect(listActionTypes(run)).toEqual(['show-error', 'stop']);
  });

  it('to halt halts from every state with work', () => {
    for (const name of busyNames) {
      const run = runEvents(createSampleRun(createPawlSession(), name), verdictReached('halt'));
      expect([name, listActionTypes(run)]).toEqual([name, ['abort', 'stop']]);
      expect(run.notes[0]).toMatchObject({ type: 'verdict' });
    }
    expect(listActionTypes(runEvents(createPawlSession(), verdictReached('halt')))).toEqual(['stop']);
  });
});

/** What the next check does. */
const describeNextAction = (run: EventRun): string => {
  const { actions } = runEvents(run, toolFinished('a'));
  const [action] = actions;
  if (action?.type !== 'ask-model') return action?.type ?? 'nothing';
  return action.tools ? 'advise' : 'finish';
};

describe('of several verdicts', () => {
  const kinds = ['advise', 'run', 'recover', 'stop'] as const;
  const asAction = { advise: 'advise', run: 'run-tools', recover: 'recover', stop: 'finish' } as const;

  it.each(
    kinds.flatMap((first, one) =>
      kinds.map((second, two) => [first, second, kinds[Math.max(one, two)]] as const),
    ),
  )('one to %s and then one to %s, the graver is acted on: %s', (first, second, graver) => {
    expect(describeNextAction(runEvents(busyRun, verdictReached(first), verdictReached(second)))).toBe(
      asAction[graver ?? 'advise'],
    );
  });

  it('of the same severity the later takes effect', () => {
    const run = runEvents(
      busyRun,
      verdictReached('advise', { advice: 'one' }),
      verdictReached('advise', { advice: 'two' }),
      toolFinished('a'),
    );
    expect(requireAction(run, 'ask-model').advice).toBe('two');
  });

  it('one to finish the session is not replaced by a request to finish the turn', () => {
    const run = runEvents(
      busyRun,
      verdictReached('stop'),
      finishRequested(),
      toolFinished('a'),
      modelReplied('in short'),
    );
    expect(run.session.turn.status).toBe('halted');
  });
});

describe('recovery', () => {
  const stuck = runEvents(busyRun, verdictReached('recover'), toolFinished('a', failureOutcome()));

  it('calls the model with the given advice, or with that of the verdict', () => {
    const own = runEvents(stuck, recoveryFinished({ kind: 'ask-model', advice: 'try the other file' }));
    expect(requireAction(own, 'ask-model')).toMatchObject({ advice: 'try the other file', attempt: 1 });
    expect(requireAction(runEvents(stuck, recoveryFinished()), 'ask-model').advice).toBe('advice recover');
  });

  it('runs the given calls', () => {
    const run = runEvents(stuck, recoveryFinished({ kind: 'run-tools', calls: [createCall('w', 'write')] }));
    expect(listStatusPath(run)).toEqual(['errorRecovery', 'executingTools']);
    expect(listActionTypes(runEvents(run, toolFinished('w')))).toEqual(['run-hooks']);
  });

  it('keeps the agenda, whatever its outcome', () => {
    const ways: readonly (readonly UntimedEvent[])[] = [
      [recoveryFinished({ kind: 'run-tools', calls: [createCall('w')] }), toolFinished('w')],
      [
        recoveryFinished({ kind: 'run-tools', calls: [createCall('w', 'bash', 'deny')] }),
        modelReplied('', createCall('z')),
        toolFinished('z'),
      ],
      [recoveryFinished({ kind: 'check' })],
    ];
    for (const path of ways)
      expect(listActionTypes(runEvents(stuck, verdictReached('recover'), ...path))).toEqual(['recover']);
  });

  it('calls the model when it has no calls to run, or none that may run', () => {
    for (const calls of [[], [createCall('w', 'write', 'deny')]]) {
      const run = runEvents(stuck, recoveryFinished({ kind: 'run-tools', calls }));
      expect(listActionTypes(run)).toEqual(['ask-model']);
      expect(requireAction(run, 'ask-model').attempt).toBe(1);
      expect(findConversationFaults(getConversation(run.session))).toEqual([]);
    }
  });

  it('returns to the check even if the profile checks no progress', () => {
    const plain = runEvents(
      createProfileSession('loom'),
      userMessage(),
      modelReplied('', createCall('a')),
      verdictReached('recover'),
      toolFinished('a'),
    );
    expect(listStatusPath(runEvents(plain, recoveryFinished({ kind: 'check' })))).toEqual([
      'errorRecovery',
      'progressCheck',
      'callingModel',
    ]);
  });

  it('returns to the check, which processes the agenda', () => {
    const run = runEvents(stuck, verdictReached('recover'), recoveryFinished({ kind: 'check' }));
    expect(listStatusPath(run)).toEqual(['errorRecovery', 'progressCheck', 'errorRecovery']);
    expect(requireAction(run, 'recover').attempt).toBe(2);
  });

  it('gives up: the error is shown and the session waits for the user', () => {
    const run = runEvents(stuck, recoveryFinished({ kind: 'give-up', reason: 'no way out' }));
    expect(listStatusPath(run)).toEqual(['errorRecovery', 'waitingForUser']);
    expect(run.actions).toEqual([{ type: 'show-error', kind: 'refused', message: 'no way out' }]);
  });

  it('gives up in a failed phase that ends the session, and halts', () => {
    const start = createPawlSession({ haltOnFailedPhase: true });
    const failing = runEvents(
      start,
      phaseStarted(1, 'go'),
      modelReplied('', createCall('a')),
      verdictReached('recover'),
      toolFinished('a'),
    );
    const run = runEvents(
      failing,
      phaseCompleted(false),
      recoveryFinished({ kind: 'give-up', reason: 'no way out' }),
    );
    expect(run.session.turn.status).toBe('halted');
    expect(listActionTypes(run)).toEqual(['show-error', 'stop']);
  });

  it('halts with the rule of the verdict', () => {
    const run = runEvents(stuck, recoveryFinished({ kind: 'halt', reason: 'hopeless' }));
    expect(requireTurn(run, 'halted').haltReason).toEqual({
      kind: 'stuck',
      reason: 'hopeless',
      rule: 'rule-recover',
    });
  });

  it('is bounded, then the session halts [RN-02]', () => {
    for (const maxRecoveries of [0, 1, 2, 3]) {
      // Without the governor, which would end this by itself.
      const settings = { maxRecoveries, governor: { preset: 'none', rules: {} } } as const;
      let run = runEvents(
        runEvents(createPawlSession(settings), userMessage()),
        modelReplied('', createCall('a')),
      );
      let recoveries = 0;
      while (run.session.turn.status === 'executingTools') {
        run = runEvents(run, verdictReached('recover'), toolFinished('a', failureOutcome()));
        if (run.session.turn.status !== 'errorRecovery') break;
        recoveries += 1;
        run = runEvents(run, recoveryFinished(), modelReplied('', createCall('a')));
      }
      expect([recoveries, run.session.turn.status]).toEqual([maxRecoveries, 'halted']);
    }
  });

  it('is counted from zero after a user message [RN-02]', () => {
    const first = runEvents(stuck, recoveryFinished(), modelReplied('done'));
    expect(first.session.governor.recoveries).toBe(1);
    expect(runEvents(first, userMessage('again')).session.governor.recoveries).toBe(0);
  });

  it('is counted from zero after a phase change [NEX-05]', () => {
    expect(runEvents(stuck, phaseStarted(2)).session.governor.recoveries).toBe(0);
  });
});

describe('a final outcome', () => {
  it('ends the turn after hooks, in spite of verdicts', () => {
    const editing = runEvents(
      callingRun,
      modelReplied('', createCall('a', 'bash'), createCall('b', 'finish')),
      verdictReached('recover'),
    );
    const hooked = runEvents(editing, toolFinished('a'), toolFinished('b', successOutcome('all done', true)));
    expect(listActionTypes(hooked)).toEqual(['run-hooks']);
    const run = runEvents(hooked, hooksFinished());
    expect(listStatusPath(run)).toEqual(['postToolsHook', 'progressCheck', 'waitingForUser']);
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('of a call that failed does not end the turn', () => {
    expect(runEvents(busyRun, toolFinished('a', failureOutcome())).session.turn.status).toBe('callingModel');
  });
});
