import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  getConversation,
  defaultSettings,
  emptyConversation,
  eventTypes,
  findProfile,
  step,
  getStepOutcome,
  toItemArray,
  type Event,
  type SessionSettings,
} from '../../src/index.ts';
import type { EventHandlers } from '../../src/turn/handlers.ts';
import type { WaitingForUser } from '../../src/turn/state.ts';
import { waitingForUserHandlers } from '../../src/turn/states/waiting-for-user.ts';
import { deepFreeze } from '../../../governor/test/helpers/deep-freeze.ts';
import {
  createCall,
  modelFailed,
  toolFinished,
  hooksFinished,
  modelReplied,
  toolProgressed,
  retryDue,
  userMessage,
  shutdownRequested,
  toolStarted,
  successOutcome,
  textDelta,
} from '../helpers/event-builders.ts';
import { createSampleRun, sampleNames, type SampleName } from '../helpers/sample-runs.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
} from '../helpers/run-events.ts';

const createLoomSession = (settings: Partial<SessionSettings> = {}) =>
  createProfileSession('loom', { settings });
const askedRun = runEvents(createLoomSession(), userMessage('what is here?'));

/** How the model fails over and over: the statuses after each failure, until the turn is over. */
function listFailureStatuses(maxRetries: number): readonly string[] {
  const statuses: string[] = [];
  let told = runEvents(createLoomSession({ maxRetries }), userMessage());
  while (told.session.turn.status === 'callingModel') {
    told = runEvents(told, modelFailed());
    statuses.push(told.session.turn.status);
    if (told.session.turn.status === 'errorRecovery') told = runEvents(told, retryDue());
  }
  return statuses;
}

describe('retries', () => {
  it.each([
    [0, ['waitingForUser']],
    [1, ['waitingForUser']],
    [2, ['errorRecovery', 'waitingForUser']],
    [3, ['errorRecovery', 'errorRecovery', 'waitingForUser']],
    [4, ['errorRecovery', 'errorRecovery', 'errorRecovery', 'waitingForUser']],
  ])(
    'of %i at most end with the failure of that number [RO-01, LOOM-47, LOOM-49, LOOM-48, LOOM-05]',
    (max, statuses) => {
      expect(listFailureStatuses(max)).toEqual(statuses);
    },
  );

  it('count the failures of the request at hand and start afresh with the next one [LOOM-20, LOOM-12]', () => {
    const second = runEvents(askedRun, modelFailed(), retryDue(), modelFailed(), retryDue());
    expect(requireTurn(second, 'callingModel').retries).toBe(2);
    expect(requireTurn(runEvents(second, modelReplied(), userMessage('next')), 'callingModel').retries).toBe(
      0,
    );
    const afterTools = runEvents(second, modelReplied('', createCall('a')), toolFinished('a'));
    expect(requireTurn(afterTools, 'callingModel').retries).toBe(0);
    const afterHooks = runEvents(
      second,
      modelReplied('', createCall('a', 'bash')),
      toolFinished('a'),
      hooksFinished(),
    );
    expect(requireTurn(afterHooks, 'callingModel').retries).toBe(0);
  });

  it('keep what the user said when they are used up, and not what was streamed [LOOM-80, LOOM-19]', () => {
    const told = runEvents(
      runEvents(createLoomSession({ maxRetries: 1 }), userMessage('keep this')),
      textDelta('half an ans'),
      modelFailed(),
    );
    expect(toItemArray(getConversation(told.session))).toMatchObject([{ role: 'user', text: 'keep this' }]);
  });

  it('leave it to the caller to send retry-due, and say when [RO-02, LOOM-72]', () => {
    const told = runEvents(askedRun, modelFailed({ retryAfterMs: 250 }));
    expect(told.actions).toEqual([{ type: 'wait', until: told.at + 250 }]);
    expect(requireTurn(told, 'errorRecovery')).toMatchObject({ retries: 1, retryAt: told.at + 250 });
  });

  it('of another origin than a failure are not due: a retry then is refused [RO-05]', () => {
    const recovering = createSampleRun(createLoomSession(), 'errorRecovery, tool');
    const told = runEvents(recovering, retryDue());
    expect(told.session).toBe(recovering.session);
    expect(getRefusalReason(told)).toBeDefined();
  });
});

describe('an event that does not fit', () => {
  it('is dropped when it is a message to a busy session, and never queued [RO-10, LOOM-58, LOOM-72]', () => {
    const names: readonly SampleName[] = [
      'callingModel, fresh',
      'executingTools, pending',
      'errorRecovery, model',
    ];
    for (const name of names) {
      const before = createSampleRun(createLoomSession(), name);
      const told = runEvents(before, userMessage('are you there?'));
      expect(told.session).toBe(before.session);
      expect(told.actions).toEqual([{ type: 'wait', until: null }]);
    }
    const done = runEvents(askedRun, userMessage('dropped'), modelReplied('first answer'));
    expect(done.actions).toEqual([{ type: 'wait', until: null }]);
    expect(toItemArray(getConversation(done.session))).toHaveLength(2);
  });

  it('is told as a note with the state, the event and why [LOOM-93, LOOM-58]', () => {
    expect(runEvents(askedRun, toolFinished('a')).notes).toEqual([
      {
        type: 'refused',
        at: 20,
        status: 'callingModel',
        event: 'tool-finished',
        reason: 'the model is being asked',
      },
    ]);
  });

  it('is an error in the one result type, and never thrown [LOOM-70]', () => {
    expect(getStepOutcome(runEvents(askedRun, retryDue()))).toEqual({
      ok: false,
      state: 'callingModel',
      error: 'the model is being asked',
    });
    expect(getStepOutcome(runEvents(askedRun, modelReplied()))).toEqual({
      ok: true,
      state: 'waitingForUser',
    });
  });
});

describe('tools', () => {
  const orders = [
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['b', 'c', 'a'],
  ] as const;

  it('may run in whatever order the caller likes; the conversation is the same [RO-07, LOOM-71, LOOM-74, LOOM-14]', () => {
    const begun = runEvents(askedRun, modelReplied('', createCall('a'), createCall('b'), createCall('c')));
    const conversations = orders.map((order) => {
      const told = runEvents(
        begun,
        ...order.flatMap((id) => [toolStarted(id), toolFinished(id, successOutcome(`${id} read`))]),
      );
      return toItemArray(requireAction(told, 'ask-model').conversation);
    });
    expect(conversations[0]?.map((message) => message.role === 'tool' && message.callId)).toEqual([
      false,
      false,
      'a',
      'b',
      'c',
    ]);
    expect(conversations[1]).toEqual(conversations[0]);
    expect(conversations[2]).toEqual(conversations[0]);
  });

  it('that told of their progress first start all the same, and keep what they told [RO-03, LOOM-23]', () => {
    const begun = runEvents(
      askedRun,
      modelReplied('', createCall('a')),
      toolProgressed('a', 'warming up'),
      toolStarted('a'),
    );
    expect(requireTurn(begun, 'executingTools').executions).toMatchObject([
      { status: 'running', startedAt: begun.at, progress: 'warming up' },
    ]);
    expect(getRefusalReason(begun)).toBeUndefined();
  });

  it('give their first outcome, and a second one for the same call is ignored [LOOM-33]', () => {
    const begun = runEvents(
      askedRun,
      modelReplied('', createCall('a'), createCall('b')),
      toolFinished('a', successOutcome('first')),
    );
    const again = runEvents(begun, toolFinished('a', successOutcome('second')));
    expect(again.session).toBe(begun.session);
    expect(toItemArray(getConversation(runEvents(again, toolFinished('b')).session))[2]).toMatchObject({
      outcome: { ok: true, output: 'first' },
    });
  });
});

describe('time', () => {
  it('comes with the events alone [RO-11, RX-07]', () => {
    const told = runEvents(askedRun, modelReplied('', createCall('a')), { ...toolStarted('a'), at: 5_000 });
    expect(requireTurn(told, 'executingTools').executions).toMatchObject([
      { status: 'running', startedAt: 5_000 },
    ]);
    expect(requireTurn(runEvents(told, { ...toolFinished('a'), at: 9_000 }), 'callingModel').since).toBe(
      9_000,
    );
  });
});

describe('the state', () => {
  const carried: { readonly [Name in SampleName]?: readonly string[] } = {
    waitingForUser: [],
    'callingModel, fresh': ['request', 'retries', 'streaming', 'ask'],
    'executingTools, pending': ['request', 'executions', 'agenda'],
    postToolsHook: ['request', 'retries', 'work'],
    'errorRecovery, model': ['origin', 'request', 'retries', 'retryAt', 'error', 'ask'],
    shuttingDown: [],
  };

  it('carries exactly what it needs, the conversation included [LOOM-04, LOOM-75, LOOM-86]', () => {
    for (const [name, fields] of Object.entries(carried)) {
      const { turn } = createSampleRun(createLoomSession(), name as SampleName).session;
      expect([name, Object.keys(turn).toSorted()]).toEqual([
        name,
        ['status', 'since', 'conversation', ...fields].toSorted(),
      ]);
    }
  });

  it('has a name and a conversation, whichever it is [LOOM-87, LOOM-88, RO-09]', () => {
    for (const name of sampleNames) {
      const { session } = createSampleRun(createProfileSession('pawl'), name);
      expect(name.startsWith(session.turn.status)).toBe(true);
      expect([name, getConversation(session).length >= 2]).toEqual([name, true]);
    }
  });

  it('shares nothing hidden: two sessions told in turn are as two told alone [LOOM-68, LOOM-73]', () => {
    const tale = [
      userMessage(),
      modelReplied('', createCall('a', 'bash')),
      toolStarted('a'),
      toolFinished('a'),
      hooksFinished(),
      modelFailed(),
    ];
    let one = runEvents(createLoomSession(), userMessage('first'));
    let two = runEvents(createLoomSession({ maxRetries: 1 }), userMessage('second'));
    for (const happening of tale) {
      one = runEvents(one, happening);
      two = runEvents(two, happening);
    }
    expect(one.session).toEqual(runEvents(createLoomSession(), userMessage('first'), ...tale).session);
    expect(two.session).toEqual(
      runEvents(createLoomSession({ maxRetries: 1 }), userMessage('second'), ...tale).session,
    );
  });
});

/** How code reaches for a clock, for chance or for the world outside. */
const impureCodePattern =
  /\b(?:new Date|Date\.|performance\.|Math\.random|process\.|crypto\.|console\.|fetch\(|set(?:Timeout|Interval|Immediate)\(|import\(|async\b|await\b)/;

describe('step', () => {
  it('is given an event and gives back actions at once, changing nothing it was given [LOOM-07, LOOM-08, LOOM-70]', () => {
    const before = deepFreeze(createLoomSession());
    const event: Event = deepFreeze({ type: 'user-message', at: 7, text: 'hello' });
    const after = step(before, event);
    expect(listActionTypes(after)).toEqual(['ask-model']);
    expect(getConversation(before)).toBe(emptyConversation);
    expect(toItemArray(getConversation(after.session))).toEqual([{ role: 'user', at: 7, text: 'hello' }]);
  });

  it('has a place for every event in every state, or does not compile [LOOM-69, LOOM-89, LOOM-91, LOOM-92]', () => {
    const { 'user-message': hear, ...rest } = waitingForUserHandlers;
    // @ts-expect-error A table of handlers that leaves out an event is no table of handlers.
    const incomplete: EventHandlers<WaitingForUser> = rest;
    expect(hear).toBeTypeOf('function');
    expect(['user-message', ...Object.keys(incomplete)].toSorted()).toEqual(eventTypes.toSorted());
  });

  it('reaches nothing outside itself: no import but its own files, no clock, no chance, no I/O [LOOM-06, LOOM-08, RO-11]', () => {
    const source = new URL('../../src/', import.meta.url);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(30);
    for (const file of files) {
      const text = readFileSync(new URL(file, source), 'utf8');
      const imports = [...text.matchAll(/from '([^']+)'/g)].map((match) => match[1] ?? '');
      expect([file, imports.filter((each) => !each.startsWith('.'))]).toEqual([file, []]);
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '');
      expect([file, code.match(impureCodePattern)]).toEqual([file, null]);
    }
  });
});

describe('the profile', () => {
  it('is the plain turn: no progress check, no paging, no governor, the two tools that change things [LOOM-25, LOOM-48]', () => {
    expect(findProfile('loom')?.settings).toEqual({
      mutatingTools: ['edit_file', 'bash'],
      progressCheck: false,
      pageOnOverflow: false,
      governor: { preset: 'none', rules: {} },
    });
    expect(defaultSettings.maxRetries).toBe(3);
  });
});

describe('from end to end', () => {
  it('goes through tools, hooks, a failure and a retry to the answer [LOOM-02, LOOM-102, LOOM-71]', () => {
    const told = runEvents(
      createLoomSession(),
      userMessage('tidy up'),
      textDelta('I will'),
      modelReplied('I will look first', createCall('a'), createCall('b', 'bash')),
      toolStarted('a'),
      toolStarted('b'),
      toolFinished('b'),
      toolFinished('a'),
      hooksFinished(),
      modelFailed(),
      retryDue(),
      modelReplied('all tidy'),
      userMessage('thanks'),
      modelReplied('welcome'),
      shutdownRequested(),
    );
    expect(told.steps.flatMap((each) => listStatusPath(each).slice(1))).toEqual([
      'callingModel',
      'processingResponse',
      'executingTools',
      'postToolsHook',
      'callingModel',
      'errorRecovery',
      'callingModel',
      'processingResponse',
      'waitingForUser',
      'callingModel',
      'processingResponse',
      'waitingForUser',
      'shuttingDown',
    ]);
    expect(told.steps.flatMap(listActionTypes)).toEqual([
      'ask-model',
      'show-text',
      'run-tools',
      'wait',
      'wait',
      'wait',
      'run-hooks',
      'ask-model',
      'wait',
      'ask-model',
      'wait',
      'ask-model',
      'wait',
      'shut-down',
    ]);
    expect(toItemArray(getConversation(told.session)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
  });
});
