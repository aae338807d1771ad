import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  type ConversationMessage,
  type SessionSettings,
} from '../../src/index.ts';
import {
  failureOutcome,
  createCall,
  modelFailed,
  toolFinished,
  hooksFailed,
  hooksFinished,
  modelReplied,
  toolProgressed,
  retryDue,
  userMessage,
  shutdownRequested,
  toolStarted,
  successOutcome,
  textDelta,
  callDelta,
} from '../helpers/event-builders.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  createProfileSession,
  runEvents,
  requireTurn,
  type EventRun,
} from '../helpers/run-events.ts';

const createLoomSession = (settings: Partial<SessionSettings> = {}) =>
  createProfileSession('loom', { settings });

const listRoles = (run: EventRun): readonly string[] => listMessages(run).map(({ role }) => role);
const listMessages = (run: EventRun): readonly ConversationMessage[] =>
  toItemArray(getConversation(run.session));

const listExecutionStatuses = (run: EventRun): readonly string[] =>
  requireTurn(run, 'executingTools').executions.map(({ status }) => status);

const callingRun = runEvents(createLoomSession(), userMessage('what is here?'));
const readingRun = runEvents(
  callingRun,
  modelReplied('let me look', createCall('a'), createCall('b', 'search')),
);
const editingRun = runEvents(callingRun, modelReplied('', createCall('a', 'edit_file'), createCall('b')));
const hookedRun = runEvents(editingRun, toolFinished('a'), toolFinished('b', failureOutcome()));
const failedRun = runEvents(callingRun, modelFailed({ message: 'try later' }));

describe('a new session', () => {
  it('waits for the user with an empty conversation [LOOM-11, LOOM-18, LOOM-81]', () => {
    const { turn } = createLoomSession();
    expect(turn).toEqual({
      status: 'waitingForUser',
      since: 0,
      conversation: { length: 0, depth: 1, root: [], tail: [] },
    });
  });
});

describe('waitingForUser', () => {
  it('appends a user message and calls the model [LOOM-43, LOOM-30, LOOM-59, LOOM-77, LOOM-12]', () => {
    const { turn } = callingRun.session;
    expect(listStatusPath(callingRun)).toEqual(['waitingForUser', 'callingModel']);
    expect(turn).toMatchObject({ status: 'callingModel', retries: 0, streaming: false });
    expect(listMessages(callingRun)).toEqual([{ role: 'user', at: 10, text: 'what is here?' }]);
    expect(callingRun.actions).toEqual([
      {
        type: 'ask-model',
        request: 1,
        attempt: 1,
        conversation: getConversation(callingRun.session),
        tools: true,
        advice: null,
        deadline: null,
      },
    ]);
  });

  it('keeps all earlier messages across turns [LOOM-19, LOOM-18]', () => {
    const run = runEvents(
      callingRun,
      modelReplied('two files'),
      userMessage('which?'),
      modelReplied('a and b'),
    );
    expect(run.session.turn.status).toBe('waitingForUser');
    expect(listMessages(run).map((message) => message.role !== 'tool' && message.text)).toEqual([
      'what is here?',
      'two files',
      'which?',
      'a and b',
    ]);
  });
});

describe('callingModel', () => {
  it('shows streamed text and stays [LOOM-44, LOOM-37, LOOM-31, LOOM-63, LOOM-82]', () => {
    const run = runEvents(callingRun, textDelta('two '), textDelta('files'));
    expect(run.steps.slice(1).map(({ actions }) => actions)).toEqual([
      [{ type: 'show-text', text: 'two ' }],
      [{ type: 'show-text', text: 'files' }],
    ]);
    expect(requireTurn(run, 'callingModel')).toEqual({
      ...requireTurn(callingRun, 'callingModel'),
      streaming: true,
    });
  });

  it('waits while a call is streamed and stays [LOOM-45, LOOM-38, LOOM-62, LOOM-82]', () => {
    const run = runEvents(callingRun, callDelta('a', '{"path"'), callDelta('a', ':"x"}'));
    expect(run.session.turn.status).toBe('callingModel');
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('passes through processingResponse on a reply, in one step [LOOM-46, LOOM-39, LOOM-13, LOOM-21, RO-08]', () => {
    expect(listStatusPath(runEvents(callingRun, modelReplied('done')))).toEqual([
      'callingModel',
      'processingResponse',
      'waitingForUser',
    ]);
    expect(listStatusPath(readingRun)).toEqual(['callingModel', 'processingResponse', 'executingTools']);
  });

  it('ends the turn on a reply without calls [LOOM-51, LOOM-62, LOOM-78, LOOM-18]', () => {
    const run = runEvents(callingRun, modelReplied('two files'));
    expect(run.session.turn.status).toBe('waitingForUser');
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
    expect(listMessages(run).at(-1)).toEqual({ role: 'assistant', at: 20, text: 'two files', calls: [] });
  });

  it('runs the calls of a reply [LOOM-50, LOOM-60, LOOM-14, LOOM-78]', () => {
    const calls = [
      { id: 'a', tool: 'read', args: { path: 'a.txt' } },
      { id: 'b', tool: 'search', args: { path: 'b.txt' } },
    ];
    expect(readingRun.actions).toEqual([{ type: 'run-tools', request: 1, calls }]);
    expect(requireTurn(readingRun, 'executingTools').executions).toEqual(
      calls.map((each) => ({ status: 'pending', call: each })),
    );
    expect(listMessages(readingRun).at(-1)).toEqual({
      role: 'assistant',
      at: 20,
      text: 'let me look',
      calls,
    });
  });

  it('waits for a retry when the model fails and retries are left [LOOM-47, LOOM-40, LOOM-16, LOOM-62, RO-02]', () => {
    const { turn } = failedRun.session;
    expect(turn).toMatchObject({
      status: 'errorRecovery',
      origin: 'model',
      retries: 1,
      retryAt: 1_020,
      error: { kind: 'overloaded', message: 'try later' },
    });
    expect(failedRun.actions).toEqual([{ type: 'wait', until: 1_020 }]);
    expect(listRoles(failedRun)).toEqual(['user']);
  });

  it('shows the error and waits for the user when no retries are left [LOOM-49, LOOM-64, LOOM-48]', () => {
    const run = runEvents(
      runEvents(createLoomSession({ maxRetries: 1 }), userMessage()),
      modelFailed({ kind: 'network', message: 'gone' }),
    );
    expect(listStatusPath(run)).toEqual(['callingModel', 'waitingForUser']);
    expect(run.actions).toEqual([{ type: 'show-error', kind: 'network', message: 'gone' }]);
    expect(listRoles(run)).toEqual(['user']);
  });
});

describe('executingTools', () => {
  it('tracks each execution from pending to running to completed [LOOM-22, LOOM-23, LOOM-32, LOOM-33, RO-03]', () => {
    expect(listExecutionStatuses(readingRun)).toEqual(['pending', 'pending']);
    const running = runEvents(readingRun, toolProgressed('b', 'page 2'));
    expect(listExecutionStatuses(running)).toEqual(['pending', 'running']);
    expect(requireTurn(running, 'executingTools').executions[1]).toMatchObject({ progress: 'page 2' });
    expect(running.actions).toEqual([{ type: 'wait', until: null }]);
    expect(listExecutionStatuses(runEvents(running, toolStarted('a')))).toEqual(['running', 'running']);
    expect(listExecutionStatuses(runEvents(running, toolStarted('a'), toolFinished('a')))).toEqual([
      'completed',
      'running',
    ]);
  });

  it('ignores progress of an unknown call [RO-03]', () => {
    const run = runEvents(readingRun, toolProgressed('nobody'));
    expect(run.session).toBe(readingRun.session);
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('waits while some are open, and adds no result yet [LOOM-52, LOOM-62, LOOM-79]', () => {
    const run = runEvents(readingRun, toolFinished('a'));
    expect(run.session.turn.status).toBe('executingTools');
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
    expect(listRoles(run)).toEqual(['user', 'assistant']);
  });

  it('adds the results in call order and calls the model again if nothing changed [LOOM-54, LOOM-79, LOOM-41, LOOM-42, RO-07]', () => {
    const run = runEvents(
      readingRun,
      toolFinished('b', failureOutcome('no such word')),
      toolFinished('a', successOutcome({ lines: 3 })),
    );
    expect(listStatusPath(run)).toEqual(['executingTools', 'callingModel']);
    expect(listActionTypes(run)).toEqual(['ask-model']);
    expect(listMessages(run).slice(2)).toEqual([
      { role: 'tool', at: 40, callId: 'a', tool: 'read', outcome: { ok: true, output: { lines: 3 } } },
      {
        role: 'tool',
        at: 40,
        callId: 'b',
        tool: 'search',
        outcome: { ok: false, error: { kind: 'failed', message: 'no such word' } },
      },
    ]);
  });

  it('runs hooks when a mutating tool succeeded [LOOM-53, LOOM-61, LOOM-24, LOOM-15, LOOM-27, LOOM-25, RO-04]', () => {
    expect(listStatusPath(hookedRun)).toEqual(['executingTools', 'postToolsHook']);
    const completed = [
      { callId: 'a', tool: 'edit_file', ok: true },
      { callId: 'b', tool: 'read', ok: false },
    ];
    expect(hookedRun.actions).toEqual([{ type: 'run-hooks', request: 1, completed }]);
    expect(requireTurn(hookedRun, 'postToolsHook').work.completed).toEqual(completed);
    expect(listRoles(hookedRun)).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  it.each([
    ['edit_file that succeeded leads to hooks', 'edit_file', successOutcome(), 'postToolsHook'],
    ['bash that succeeded leads to hooks', 'bash', successOutcome(), 'postToolsHook'],
    ['edit_file that failed does not lead to hooks', 'edit_file', failureOutcome(), 'callingModel'],
    ['read that succeeded does not lead to hooks', 'read', successOutcome(), 'callingModel'],
  ] as const)('%s, next to a successful read [LOOM-25, RO-04]', (_, tool, outcome, status) => {
    const run = runEvents(
      callingRun,
      modelReplied('', createCall('a', tool), createCall('b')),
      toolFinished('a', outcome),
      toolFinished('b'),
    );
    expect(run.session.turn.status).toBe(status);
  });

  it('accepts another set of mutating tools [RO-04]', () => {
    const start = createLoomSession({ mutatingTools: ['rename'] });
    const renamed = runEvents(
      start,
      userMessage(),
      modelReplied('', createCall('a', 'rename')),
      toolFinished('a'),
    );
    expect(renamed.session.turn.status).toBe('postToolsHook');
    const edited = runEvents(
      start,
      userMessage(),
      modelReplied('', createCall('a', 'edit_file')),
      toolFinished('a'),
    );
    expect(edited.session.turn.status).toBe('callingModel');
  });

  it('reports a failed tool to the model and never enters errorRecovery [RO-05, LOOM-42]', () => {
    const run = runEvents(
      callingRun,
      modelReplied('', createCall('a')),
      toolFinished('a', failureOutcome('no such file')),
    );
    expect(listStatusPath(run)).toEqual(['executingTools', 'callingModel']);
    expect(listMessages(run).at(-1)).toMatchObject({
      outcome: { ok: false, error: { message: 'no such file' } },
    });
  });
});

describe('postToolsHook', () => {
  it.each([
    ['when they did something', true],
    ['when they did nothing', false],
  ])('calls the model once hooks are done, %s [LOOM-55, LOOM-34, LOOM-26]', (_, actionTaken) => {
    const run = runEvents(hookedRun, hooksFinished(actionTaken));
    expect(listStatusPath(run)).toEqual(['postToolsHook', 'callingModel']);
    expect(requireAction(run, 'ask-model').conversation).toBe(getConversation(hookedRun.session));
    expect(requireTurn(run, 'callingModel').retries).toBe(0);
  });

  it('never blocks the work: hooks that keep failing are reported and skipped [LOOM-55]', () => {
    const run = runEvents(
      hookedRun,
      hooksFailed(),
      retryDue(),
      hooksFailed(),
      retryDue(),
      hooksFailed('still no commit'),
    );
    expect(run.session.turn.status).toBe('callingModel');
    expect(run.actions).toMatchObject([
      { type: 'show-error', kind: 'io', message: 'still no commit' },
      { type: 'ask-model' },
    ]);
  });
});

describe('errorRecovery', () => {
  it('calls the model again, with the same conversation, when the retry is due [LOOM-56, LOOM-35, LOOM-83, LOOM-20]', () => {
    const run = runEvents(failedRun, retryDue());
    expect(listStatusPath(run)).toEqual(['errorRecovery', 'callingModel']);
    expect(requireTurn(run, 'callingModel')).toMatchObject({ retries: 1, request: 3 });
    expect(requireAction(run, 'ask-model')).toMatchObject({
      attempt: 2,
      conversation: getConversation(callingRun.session),
    });
  });

  it('retries by its origin: the model, or what failed in the runtime [LOOM-28, RO-05]', () => {
    const afterModel = runEvents(failedRun, retryDue());
    expect(requireTurn(failedRun, 'errorRecovery').origin).toBe('model');
    expect(listActionTypes(afterModel)).toEqual(['ask-model']);
    const afterHooks = runEvents(hookedRun, hooksFailed());
    expect(requireTurn(afterHooks, 'errorRecovery').origin).toBe('io');
    expect(listActionTypes(runEvents(afterHooks, retryDue()))).toEqual(['run-hooks']);
  });
});

describe('shuttingDown', () => {
  it.each([
    ['waitingForUser', runEvents(callingRun, modelReplied())],
    ['callingModel', callingRun],
    ['executingTools', readingRun],
    ['postToolsHook', hookedRun],
    ['errorRecovery', failedRun],
  ])('follows from %s [LOOM-57, LOOM-36, LOOM-65, LOOM-84]', (status, before) => {
    const run = runEvents(before, shutdownRequested());
    expect(listStatusPath(run)).toEqual([status, 'shuttingDown']);
    expect(run.actions).toEqual([{ type: 'shut-down' }]);
  });

  it('answers a second shutdown request like the first [RO-06, LOOM-57]', () => {
    const run = runEvents(callingRun, shutdownRequested(), shutdownRequested());
    expect(run.session.turn.status).toBe('shuttingDown');
    expect(run.actions).toEqual([{ type: 'shut-down' }]);
  });

  it('is left by no event, and returns a wait action [RO-06, LOOM-17, LOOM-29, LOOM-85]', () => {
    const end = runEvents(callingRun, shutdownRequested());
    const run = runEvents(end, userMessage(), modelReplied(), retryDue());
    expect(run.session).toBe(end.session);
    expect(run.steps.slice(-3).map(({ actions }) => actions)).toEqual([
      [{ type: 'wait', until: null }],
      [{ type: 'wait', until: null }],
      [{ type: 'wait', until: null }],
    ]);
  });

  it('still has the last conversation [RO-09, LOOM-88]', () => {
    expect(listRoles(runEvents(callingRun, modelReplied('two files'), shutdownRequested()))).toEqual([
      'user',
      'assistant',
    ]);
  });
});
