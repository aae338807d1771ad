import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  emptyConversation,
  toItemArray,
  getConversation,
  defaultSettings,
  eventTypes,
  step,
  getStepOutcome,
  type Event,
  type SessionSettings,
} from '../../src/index.ts';
import { findProfile } from '../../src/profiles-entry.ts';
import { eventStates, type TurnRows } from '../../src/turn/turn-table.ts';
import type { Session } from '../../src/session/session.ts';
import type { HaltedTurn } from '../../src/session/turn-state.ts';
import { waitingForUserState } from '../../src/turn/states/waiting-for-user.ts';
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
const callingRun = runEvents(createLoomSession(), userMessage('what is here?'));

/** How the model fails over and over: the statuses after each failure, until the turn is over. */
function listFailureStatuses(maxRetries: number): readonly string[] {
  const statuses: string[] = [];
  let run = runEvents(createLoomSession({ maxRetries }), userMessage());
  while (run.session.turn.status === 'callingModel') {
    run = runEvents(run, modelFailed());
    statuses.push(run.session.turn.status);
    if (run.session.turn.status === 'errorRecovery') run = runEvents(run, retryDue());
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
  ])('of at most %i end with that failure [RO-01, LOOM-47, LOOM-49, LOOM-48, LOOM-05]', (max, statuses) => {
    expect(listFailureStatuses(max)).toEqual(statuses);
  });

  it('count the failures of the current request and restart with the next one [LOOM-20, LOOM-12]', () => {
    const second = runEvents(callingRun, modelFailed(), retryDue(), modelFailed(), retryDue());
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

  it("keep the user's message when they are exhausted, and not the streamed text [LOOM-80, LOOM-19]", () => {
    const run = runEvents(
      runEvents(createLoomSession({ maxRetries: 1 }), userMessage('keep this')),
      textDelta('half an ans'),
      modelFailed(),
    );
    expect(toItemArray(getConversation(run.session))).toMatchObject([{ role: 'user', text: 'keep this' }]);
  });

  it('leave it to the caller to send retry-due at the given time [RO-02, LOOM-72]', () => {
    const run = runEvents(callingRun, modelFailed({ retryAfterMs: 250 }));
    expect(run.actions).toEqual([{ type: 'wait', until: run.at + 250 }]);
    expect(requireTurn(run, 'errorRecovery')).toMatchObject({ retries: 1, retryAt: run.at + 250 });
  });

  it('apply only to failures: retry-due in another recovery is refused [RO-05]', () => {
    const recovering = createSampleRun(createLoomSession(), 'errorRecovery, tool');
    const run = runEvents(recovering, retryDue());
    expect(run.session).toBe(recovering.session);
    expect(getRefusalReason(run)).toBeDefined();
  });
});

describe('an invalid event', () => {
  it('is dropped if it is a message to a busy session, and never queued [RO-10, LOOM-58, LOOM-72]', () => {
    const names: readonly SampleName[] = [
      'callingModel, fresh',
      'executingTools, pending',
      'errorRecovery, model',
    ];
    for (const name of names) {
      const before = createSampleRun(createLoomSession(), name);
      const run = runEvents(before, userMessage('are you there?'));
      expect(run.session).toBe(before.session);
      expect(run.actions).toEqual([{ type: 'wait', until: null }]);
    }
    const done = runEvents(callingRun, userMessage('dropped'), modelReplied('first answer'));
    expect(done.actions).toEqual([{ type: 'wait', until: null }]);
    expect(toItemArray(getConversation(done.session))).toHaveLength(2);
  });

  it('is reported as a note with the state, the event and the reason [LOOM-93, LOOM-58]', () => {
    expect(runEvents(callingRun, toolFinished('a')).notes).toEqual([
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
    expect(getStepOutcome(runEvents(callingRun, retryDue()))).toEqual({
      ok: false,
      state: 'callingModel',
      error: 'the model is being asked',
    });
    expect(getStepOutcome(runEvents(callingRun, modelReplied()))).toEqual({
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

  it('may run in any order; the conversation is the same [RO-07, LOOM-71, LOOM-74, LOOM-14]', () => {
    const started = runEvents(
      callingRun,
      modelReplied('', createCall('a'), createCall('b'), createCall('c')),
    );
    const conversations = orders.map((order) => {
      const run = runEvents(
        started,
        ...order.flatMap((id) => [toolStarted(id), toolFinished(id, successOutcome(`${id} read`))]),
      );
      return toItemArray(requireAction(run, 'ask-model').conversation);
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

  it('that reported progress before their start still start, and keep the progress [RO-03, LOOM-23]', () => {
    const started = runEvents(
      callingRun,
      modelReplied('', createCall('a')),
      toolProgressed('a', 'warming up'),
      toolStarted('a'),
    );
    expect(requireTurn(started, 'executingTools').executions).toMatchObject([
      { status: 'running', startedAt: started.at, progress: 'warming up' },
    ]);
    expect(getRefusalReason(started)).toBeUndefined();
  });

  it('count with their first outcome, and a second one for the same call is ignored [LOOM-33]', () => {
    const started = runEvents(
      callingRun,
      modelReplied('', createCall('a'), createCall('b')),
      toolFinished('a', successOutcome('first')),
    );
    const repeated = runEvents(started, toolFinished('a', successOutcome('second')));
    expect(repeated.session).toBe(started.session);
    expect(toItemArray(getConversation(runEvents(repeated, toolFinished('b')).session))[2]).toMatchObject({
      outcome: { ok: true, output: 'first' },
    });
  });
});

describe('time', () => {
  it('comes with the events alone [RO-11, RX-07]', () => {
    const run = runEvents(callingRun, modelReplied('', createCall('a')), { ...toolStarted('a'), at: 5_000 });
    expect(requireTurn(run, 'executingTools').executions).toMatchObject([
      { status: 'running', startedAt: 5_000 },
    ]);
    expect(requireTurn(runEvents(run, { ...toolFinished('a'), at: 9_000 }), 'callingModel').since).toBe(
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

  it('holds exactly what it needs, including the conversation [LOOM-04, LOOM-75, LOOM-86]', () => {
    for (const [name, fields] of Object.entries(carried)) {
      const { turn } = createSampleRun(createLoomSession(), name as SampleName).session;
      expect([name, Object.keys(turn).toSorted()]).toEqual([
        name,
        ['status', 'since', 'conversation', ...fields].toSorted(),
      ]);
    }
  });

  it('always has a name and a conversation [LOOM-87, LOOM-88, RO-09]', () => {
    for (const name of sampleNames) {
      const { session } = createSampleRun(createProfileSession('pawl'), name);
      expect(name.startsWith(session.turn.status)).toBe(true);
      expect([name, getConversation(session).length >= 2]).toEqual([name, true]);
    }
  });

  it('is not shared: two interleaved sessions behave as two separate ones [LOOM-68, LOOM-73]', () => {
    const events = [
      userMessage(),
      modelReplied('', createCall('a', 'bash')),
      toolStarted('a'),
      toolFinished('a'),
      hooksFinished(),
      modelFailed(),
    ];
    let one = runEvents(createLoomSession(), userMessage('first'));
    let two = runEvents(createLoomSession({ maxRetries: 1 }), userMessage('second'));
    for (const event of events) {
      one = runEvents(one, event);
      two = runEvents(two, event);
    }
    expect(one.session).toEqual(runEvents(createLoomSession(), userMessage('first'), ...events).session);
    expect(two.session).toEqual(
      runEvents(createLoomSession({ maxRetries: 1 }), userMessage('second'), ...events).session,
    );
  });
});

/** How code reaches for a clock, for chance or for the world outside. */
const impureCodePattern =
  /\b(?:new Date|Date\.|performance\.|Math\.random|process\.|crypto\.|console\.|fetch\(|set(?:Timeout|Interval|Immediate)\(|import\(|async\b|await\b)/;

describe('step', () => {
  it('takes an event and returns actions synchronously, without mutating its input [LOOM-07, LOOM-08, LOOM-70]', () => {
    const before = deepFreeze(createLoomSession());
    const event: Event = deepFreeze({ type: 'user-message', at: 7, text: 'hello' });
    const after = step(before, event);
    expect(listActionTypes(after)).toEqual(['ask-model']);
    expect(getConversation(before)).toBe(emptyConversation);
    expect(toItemArray(getConversation(after.session))).toEqual([{ role: 'user', at: 7, text: 'hello' }]);
  });

  it('does not compile until a state has a row for every event that is valid in it [LOOM-69, LOOM-89, LOOM-91, LOOM-92]', () => {
    const row = { handle: (session: Session) => ({ session, actions: [], notes: [] }), to: [] };
    const rows: TurnRows<HaltedTurn> = {
      'user-message': row,
      steered: row,
      'shutdown-requested': row,
    };
    // @ts-expect-error A state must handle every event that is valid in it.
    const missing: TurnRows<HaltedTurn> = {};
    // @ts-expect-error A state must not handle an event that is not valid in it.
    const unlisted: TurnRows<HaltedTurn> = { ...rows, 'retry-due': row };
    expect([rows, missing, unlisted].map((each) => Object.keys(each).length)).toEqual([3, 0, 4]);
    expect(Object.keys(waitingForUserState.handlers).toSorted()).toEqual(eventTypes.toSorted());
    expect(Object.keys(eventStates).toSorted()).toEqual(eventTypes.toSorted());
  });

  it('has no outside dependency: no foreign import, no clock, no randomness, no I/O [LOOM-06, LOOM-08, RO-11]', () => {
    // The governor is a pure package itself, without any outside import.
    const purePackages: readonly { source: string; allowedImports: readonly string[] }[] = [
      { source: '../../src/', allowedImports: ['@pawl/governor'] },
      { source: '../../../governor/src/', allowedImports: [] },
    ];
    for (const { source, allowedImports } of purePackages) {
      const folder = new URL(source, import.meta.url);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.ts'),
      );
      expect(files.length).toBeGreaterThan(30);
      for (const file of files) {
        const text = readFileSync(new URL(file, folder), 'utf8');
        const imports = [...text.matchAll(/\b(?:from |import |import\()'([^'\n]+)'/g)].map(
          (match) => match[1] ?? '',
        );
        const outsideImports = imports.filter(
          (each) =>
            !each.startsWith('.') && !allowedImports.some((name) => `${each}/`.startsWith(`${name}/`)),
        );
        expect([source, file, outsideImports]).toEqual([source, file, []]);
        const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '');
        expect([source, file, code.match(impureCodePattern)]).toEqual([source, file, null]);
      }
    }
  });
});

describe('the profile', () => {
  it('is the plain turn: no progress check, no paging, no governor, two mutating tools [LOOM-25, LOOM-48]', () => {
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
  it('passes through tools, hooks, a failure and a retry to the answer [LOOM-02, LOOM-102, LOOM-71]', () => {
    const run = runEvents(
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
    expect(run.steps.flatMap((each) => listStatusPath(each).slice(1))).toEqual([
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
    expect(run.steps.flatMap(listActionTypes)).toEqual([
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
    expect(toItemArray(getConversation(run.session)).map(({ role }) => role)).toEqual([
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
