import { describe, expect, it } from 'vitest';
import { conversationOf, toArray, type Message, type Settings } from '../../src/index.ts';
import {
  broke,
  call,
  fails,
  finishes,
  hooksFail,
  hooksFinish,
  replies,
  reports,
  retryIsDue,
  says,
  shutsDown,
  starts,
  worked,
  writes,
  writesCall,
} from '../helpers/happenings.ts';
import { actionOf, actionTypes, path, sessionOf, tell, turnIn, type Told } from '../helpers/tell.ts';

const loom = (settings: Partial<Settings> = {}) => sessionOf('loom', { settings });

const roles = (told: Told): readonly string[] => messages(told).map(({ role }) => role);
const messages = (told: Told): readonly Message[] => toArray(conversationOf(told.session));

const statuses = (told: Told): readonly string[] =>
  turnIn(told, 'executingTools').executions.map(({ status }) => status);

const asked = tell(loom(), says('what is here?'));
const reading = tell(asked, replies('let me look', call('a'), call('b', 'search')));
const editing = tell(asked, replies('', call('a', 'edit_file'), call('b')));
const hooked = tell(editing, finishes('a'), finishes('b', broke()));
const failed = tell(asked, fails({ message: 'try later' }));

describe('a new session', () => {
  it('waits for the user with an empty conversation [LOOM-11, LOOM-18, LOOM-81]', () => {
    const { turn } = loom();
    expect(turn).toEqual({
      status: 'waitingForUser',
      since: 0,
      conversation: { length: 0, depth: 1, root: [], tail: [] },
    });
  });
});

describe('waitingForUser', () => {
  it('appends a user message and asks the model [LOOM-43, LOOM-30, LOOM-59, LOOM-77, LOOM-12]', () => {
    const { turn } = asked.session;
    expect(path(asked)).toEqual(['waitingForUser', 'callingModel']);
    expect(turn).toMatchObject({ status: 'callingModel', retries: 0, streaming: false });
    expect(messages(asked)).toEqual([{ role: 'user', at: 10, text: 'what is here?' }]);
    expect(asked.actions).toEqual([
      {
        type: 'ask-model',
        request: 1,
        attempt: 1,
        conversation: conversationOf(asked.session),
        tools: true,
        advice: null,
        deadline: null,
      },
    ]);
  });

  it('keeps all earlier messages from turn to turn [LOOM-19, LOOM-18]', () => {
    const told = tell(asked, replies('two files'), says('which?'), replies('a and b'));
    expect(told.session.turn.status).toBe('waitingForUser');
    expect(messages(told).map((message) => message.role !== 'tool' && message.text)).toEqual([
      'what is here?',
      'two files',
      'which?',
      'a and b',
    ]);
  });
});

describe('callingModel', () => {
  it('shows text as it streams and stays [LOOM-44, LOOM-37, LOOM-31, LOOM-63, LOOM-82]', () => {
    const told = tell(asked, writes('two '), writes('files'));
    expect(told.steps.slice(1).map(({ actions }) => actions)).toEqual([
      [{ type: 'show-text', text: 'two ' }],
      [{ type: 'show-text', text: 'files' }],
    ]);
    expect(turnIn(told, 'callingModel')).toEqual({ ...turnIn(asked, 'callingModel'), streaming: true });
  });

  it('waits while a call streams and stays [LOOM-45, LOOM-38, LOOM-62, LOOM-82]', () => {
    const told = tell(asked, writesCall('a', '{"path"'), writesCall('a', ':"x"}'));
    expect(told.session.turn.status).toBe('callingModel');
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('passes through processingResponse on a reply, in one step [LOOM-46, LOOM-39, LOOM-13, LOOM-21, RO-08]', () => {
    expect(path(tell(asked, replies('done')))).toEqual([
      'callingModel',
      'processingResponse',
      'waitingForUser',
    ]);
    expect(path(reading)).toEqual(['callingModel', 'processingResponse', 'executingTools']);
  });

  it('ends the turn on a reply without calls [LOOM-51, LOOM-62, LOOM-78, LOOM-18]', () => {
    const told = tell(asked, replies('two files'));
    expect(told.session.turn.status).toBe('waitingForUser');
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
    expect(messages(told).at(-1)).toEqual({ role: 'assistant', at: 20, text: 'two files', calls: [] });
  });

  it('runs the calls of a reply [LOOM-50, LOOM-60, LOOM-14, LOOM-78]', () => {
    const calls = [
      { id: 'a', tool: 'read', args: { path: 'a.txt' } },
      { id: 'b', tool: 'search', args: { path: 'b.txt' } },
    ];
    expect(reading.actions).toEqual([{ type: 'run-tools', request: 1, calls }]);
    expect(turnIn(reading, 'executingTools').executions).toEqual(
      calls.map((each) => ({ status: 'pending', call: each })),
    );
    expect(messages(reading).at(-1)).toEqual({ role: 'assistant', at: 20, text: 'let me look', calls });
  });

  it('waits to try again when the model fails and tries are left [LOOM-47, LOOM-40, LOOM-16, LOOM-62, RO-02]', () => {
    const { turn } = failed.session;
    expect(turn).toMatchObject({
      status: 'errorRecovery',
      origin: 'model',
      retries: 1,
      retryAt: 1_020,
      error: { kind: 'overloaded', message: 'try later' },
    });
    expect(failed.actions).toEqual([{ type: 'wait', until: 1_020 }]);
    expect(roles(failed)).toEqual(['user']);
  });

  it('shows the error and waits for the user when no tries are left [LOOM-49, LOOM-64, LOOM-48]', () => {
    const told = tell(tell(loom({ maxRetries: 1 }), says()), fails({ kind: 'network', message: 'gone' }));
    expect(path(told)).toEqual(['callingModel', 'waitingForUser']);
    expect(told.actions).toEqual([{ type: 'show-error', kind: 'network', message: 'gone' }]);
    expect(roles(told)).toEqual(['user']);
  });
});

describe('executingTools', () => {
  it('tracks each execution from pending to running to completed [LOOM-22, LOOM-23, LOOM-32, LOOM-33, RO-03]', () => {
    expect(statuses(reading)).toEqual(['pending', 'pending']);
    const running = tell(reading, reports('b', 'page 2'));
    expect(statuses(running)).toEqual(['pending', 'running']);
    expect(turnIn(running, 'executingTools').executions[1]).toMatchObject({ progress: 'page 2' });
    expect(running.actions).toEqual([{ type: 'wait', until: null }]);
    expect(statuses(tell(running, starts('a')))).toEqual(['running', 'running']);
    expect(statuses(tell(running, starts('a'), finishes('a')))).toEqual(['completed', 'running']);
  });

  it('ignores progress of a call it does not know [RO-03]', () => {
    const told = tell(reading, reports('nobody'));
    expect(told.session).toBe(reading.session);
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('waits while some are open, and adds no result yet [LOOM-52, LOOM-62, LOOM-79]', () => {
    const told = tell(reading, finishes('a'));
    expect(told.session.turn.status).toBe('executingTools');
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
    expect(roles(told)).toEqual(['user', 'assistant']);
  });

  it('adds the results in call order and asks the model again when nothing changed [LOOM-54, LOOM-79, LOOM-41, LOOM-42, RO-07]', () => {
    const told = tell(reading, finishes('b', broke('no such word')), finishes('a', worked({ lines: 3 })));
    expect(path(told)).toEqual(['executingTools', 'callingModel']);
    expect(actionTypes(told)).toEqual(['ask-model']);
    expect(messages(told).slice(2)).toEqual([
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

  it('runs hooks when a tool that changes things succeeded [LOOM-53, LOOM-61, LOOM-24, LOOM-15, LOOM-27, LOOM-25, RO-04]', () => {
    expect(path(hooked)).toEqual(['executingTools', 'postToolsHook']);
    const completed = [
      { callId: 'a', tool: 'edit_file', ok: true },
      { callId: 'b', tool: 'read', ok: false },
    ];
    expect(hooked.actions).toEqual([{ type: 'run-hooks', request: 1, completed }]);
    expect(turnIn(hooked, 'postToolsHook').work.completed).toEqual(completed);
    expect(roles(hooked)).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  it.each([
    ['edit_file that succeeded leads to hooks', 'edit_file', worked(), 'postToolsHook'],
    ['bash that succeeded leads to hooks', 'bash', worked(), 'postToolsHook'],
    ['edit_file that failed does not lead to hooks', 'edit_file', broke(), 'callingModel'],
    ['read that succeeded does not lead to hooks', 'read', worked(), 'callingModel'],
  ] as const)('%s, beside a read that worked [LOOM-25, RO-04]', (_, tool, outcome, status) => {
    const told = tell(asked, replies('', call('a', tool), call('b')), finishes('a', outcome), finishes('b'));
    expect(told.session.turn.status).toBe(status);
  });

  it('takes another set of tools as those that change things [RO-04]', () => {
    const start = loom({ mutatingTools: ['rename'] });
    const renamed = tell(start, says(), replies('', call('a', 'rename')), finishes('a'));
    expect(renamed.session.turn.status).toBe('postToolsHook');
    const edited = tell(start, says(), replies('', call('a', 'edit_file')), finishes('a'));
    expect(edited.session.turn.status).toBe('callingModel');
  });

  it('sends a failed tool back to the model and never to errorRecovery [RO-05, LOOM-42]', () => {
    const told = tell(asked, replies('', call('a')), finishes('a', broke('no such file')));
    expect(path(told)).toEqual(['executingTools', 'callingModel']);
    expect(messages(told).at(-1)).toMatchObject({
      outcome: { ok: false, error: { message: 'no such file' } },
    });
  });
});

describe('postToolsHook', () => {
  it.each([
    ['when they did something', true],
    ['when they did nothing', false],
  ])('asks the model once hooks are done, %s [LOOM-55, LOOM-34, LOOM-26]', (_, actionTaken) => {
    const told = tell(hooked, hooksFinish(actionTaken));
    expect(path(told)).toEqual(['postToolsHook', 'callingModel']);
    expect(actionOf(told, 'ask-model').conversation).toBe(conversationOf(hooked.session));
    expect(turnIn(told, 'callingModel').retries).toBe(0);
  });

  it('never blocks the work: hooks that keep failing are told of and passed over [LOOM-55]', () => {
    const told = tell(
      hooked,
      hooksFail(),
      retryIsDue(),
      hooksFail(),
      retryIsDue(),
      hooksFail('still no commit'),
    );
    expect(told.session.turn.status).toBe('callingModel');
    expect(told.actions).toMatchObject([
      { type: 'show-error', kind: 'io', message: 'still no commit' },
      { type: 'ask-model' },
    ]);
  });
});

describe('errorRecovery', () => {
  it('asks the model again, with the same conversation, when the retry is due [LOOM-56, LOOM-35, LOOM-83, LOOM-20]', () => {
    const told = tell(failed, retryIsDue());
    expect(path(told)).toEqual(['errorRecovery', 'callingModel']);
    expect(turnIn(told, 'callingModel')).toMatchObject({ retries: 1, request: 3 });
    expect(actionOf(told, 'ask-model')).toMatchObject({
      attempt: 2,
      conversation: conversationOf(asked.session),
    });
  });

  it('retries by its origin: the model, or what failed in the runtime [LOOM-28, RO-05]', () => {
    const afterModel = tell(failed, retryIsDue());
    expect(turnIn(failed, 'errorRecovery').origin).toBe('model');
    expect(actionTypes(afterModel)).toEqual(['ask-model']);
    const afterHooks = tell(hooked, hooksFail());
    expect(turnIn(afterHooks, 'errorRecovery').origin).toBe('io');
    expect(actionTypes(tell(afterHooks, retryIsDue()))).toEqual(['run-hooks']);
  });
});

describe('shuttingDown', () => {
  it.each([
    ['waitingForUser', tell(asked, replies())],
    ['callingModel', asked],
    ['executingTools', reading],
    ['postToolsHook', hooked],
    ['errorRecovery', failed],
  ])('follows from %s [LOOM-57, LOOM-36, LOOM-65, LOOM-84]', (status, before) => {
    const told = tell(before, shutsDown());
    expect(path(told)).toEqual([status, 'shuttingDown']);
    expect(told.actions).toEqual([{ type: 'shut-down' }]);
  });

  it('answers a second request to shut down as it did the first [RO-06, LOOM-57]', () => {
    const told = tell(asked, shutsDown(), shutsDown());
    expect(told.session.turn.status).toBe('shuttingDown');
    expect(told.actions).toEqual([{ type: 'shut-down' }]);
  });

  it('is left by nothing, and asks to wait [RO-06, LOOM-17, LOOM-29, LOOM-85]', () => {
    const end = tell(asked, shutsDown());
    const told = tell(end, says(), replies(), retryIsDue());
    expect(told.session).toBe(end.session);
    expect(told.steps.slice(-3).map(({ actions }) => actions)).toEqual([
      [{ type: 'wait', until: null }],
      [{ type: 'wait', until: null }],
      [{ type: 'wait', until: null }],
    ]);
  });

  it('still knows the last conversation [RO-09, LOOM-88]', () => {
    expect(roles(tell(asked, replies('two files'), shutsDown()))).toEqual(['user', 'assistant']);
  });
});
