import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/index.ts';
import type { ReplyKind } from '../../src/turn-entry.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { findEntry, type WorkingMemory } from '../../src/memory/memory.ts';
import { listLogEntries } from '../../src/memory/logs.ts';
import {
  failureOutcome,
  modelReplied,
  permissionDenied,
  toolFinished,
  userMessage,
} from '../helpers/event-builders.ts';
import {
  createProfileSession,
  listActionTypes,
  runEvents,
  type EventRun,
  type UntimedEvent,
} from '../helpers/run-events.ts';

const replied = (kind: ReplyKind, text: string, more: object = {}): UntimedEvent =>
  ({ ...modelReplied(text), kind, ...more }) as UntimedEvent;
const search = (id: string, query = id): readonly UntimedEvent[] => [
  modelReplied('', { id, tool: 'search', args: { query } }),
  toolFinished(id),
];
const readMode = ({ session }: EventRun): string | undefined => session.mode?.state;

describe('the kind of a reply', () => {
  const savant = createProfileSession('savant');

  it('thought continues the turn in a mode that text does not leave', () => {
    const run = runEvents(savant, userMessage(), replied('thought', 'I should plan first.'));
    expect(listActionTypes(run)).toEqual(['ask-model']);
    expect(readMode(run)).toBe('INIT');
  });

  it('thought may be repeated while analyzing, until the limit of five steps [SAV-12]', () => {
    const analyzing = runEvents(savant, userMessage(), ...search('a'), modelReplied('Three layers.'));
    expect(readMode(analyzing)).toBe('ANALYZING');
    const thoughts = ['Who calls them?', 'The outer one does.', 'Or is it the store?', 'It may be both.'];
    let run = analyzing;
    for (const text of thoughts) {
      expect(run.session.turn.status).toBe('callingModel');
      run = runEvents(run, replied('thought', text));
    }
    expect(readMode(run)).toBe('ANALYZING');
    const stuck = runEvents(run, replied('thought', 'Let me see.'));
    expect(readMode(stuck)).toBe('STUCK_ANALYZE');
    expect(stuck.actions).toMatchObject([{ type: 'ask-model', tools: false }]);
  });

  it('answer ends the turn where text alone would be a thought', () => {
    const searching = runEvents(savant, userMessage(), ...search('a'));
    expect(runEvents(searching, replied('answer', 'Three layers.')).session.turn.status).toBe(
      'waitingForUser',
    );
    expect(runEvents(searching, modelReplied('Three layers.')).session.turn.status).toBe('callingModel');
  });

  it('does not depend on the time of the events', () => {
    const events = [
      userMessage(),
      ...search('a'),
      modelReplied('So there are three layers.'),
      modelReplied('The architecture has three layers.'),
    ];
    const run = runEvents(savant, ...events.map((event) => ({ ...event, at: 0 })));
    expect(run.session.turn.status).toBe('waitingForUser');
    expect(run.session.turn.status).toBe(runEvents(savant, ...events).session.turn.status);
  });

  it('is an answer without modes, whether or not it is marked', () => {
    for (const reply of [modelReplied('Done.'), replied('answer', 'Done.')]) {
      const run = runEvents(createProfileSession('pawl'), userMessage(), reply);
      expect(run.session.turn.status).toBe('waitingForUser');
    }
  });

  it('thought continues the turn without modes, and a repeated one is judged', () => {
    const thought = replied('thought', 'I should plan first.');
    const run = runEvents(createProfileSession('pawl'), userMessage(), thought);
    expect(listActionTypes(run)).toEqual(['ask-model']);
    const repeated = runEvents(run, ...Array.from({ length: 11 }, () => thought));
    expect(repeated.steps.flatMap(({ notes }) => notes).some(({ type }) => type === 'verdict')).toBe(true);
  });

  it('has no effect in sessions of older log versions', () => {
    const older = createProfileSession('savant', { logVersion: 5 });
    const run = runEvents(older, userMessage(), replied('thought', 'I should plan first.'));
    expect(run.session.turn.status).toBe('waitingForUser');
  });
});

const readMemory = ({ session }: { readonly session: Session }): WorkingMemory => {
  if (session.memory === null) throw new Error('the session has no memory');
  return session.memory;
};
const listCommands = (run: EventRun): readonly unknown[] =>
  listLogEntries(readMemory(run), 'command').map(({ value }) => value);

describe('the command log', () => {
  const lkj = createProfileSession('lkj');

  it('lists an action that does not exist, once [LKJ2-36, RL-15]', () => {
    const run = runEvents(lkj, userMessage(), modelReplied('', { id: 'a', tool: 'fly', args: {} }));
    expect(listCommands(run)).toEqual([expect.stringMatching(/^fly: failed: /)]);
    expect(readMode(run)).toBe('thinking');
  });

  it('lists a reply whose action could not be read, with the reason [LKJ2-36, LKJ1-84]', () => {
    const problem = 'working_memory_add needs a value';
    const run = runEvents(lkj, userMessage(), replied('unreadable', '<agent>', { problem }));
    expect(listCommands(run)).toEqual([`unreadable reply: failed: ${problem}`]);
  });

  it('lists an action that a person denied or that timed out, and not one that was cancelled', () => {
    const save = { id: 'a', tool: 'storage_save', args: { tags: 'a', value: 'b' } } as const;
    const asked = runEvents(lkj, userMessage(), modelReplied('', { ...save, permission: 'ask' }));
    expect(listCommands(runEvents(asked, permissionDenied('a', 'not now')))).toEqual([
      'storage_save: failed: not now',
    ]);
    const running = runEvents(lkj, userMessage(), modelReplied('', save));
    const outcome = failureOutcome('60 s are over', 'timeout');
    expect(listCommands(runEvents(running, toolFinished('a', outcome)))).toEqual([
      'storage_save: failed: 60 s are over',
    ]);
    const cancelled = failureOutcome('cancelled', 'cancelled');
    expect(listCommands(runEvents(running, toolFinished('a', cancelled)))).toEqual([]);
  });

  it('has no entry for a reply without an action', () => {
    const run = runEvents(lkj, userMessage(), replied('thought', '', { nextState: 'commanding' }));
    expect(listCommands(run)).toEqual([]);
  });
});

describe('a long thought', () => {
  it('is clipped in the log, so that one reply cannot fill working memory', () => {
    const think = 'x'.repeat(42_004);
    const run = runEvents(
      createProfileSession('lkj'),
      userMessage(),
      replied('thought', '', { logs: { think } }),
    );
    expect(findEntry(readMemory(run), 'think_log_001')?.value).toBe(
      `${'x'.repeat(2_000)}… (40004 more characters)`,
    );
    expect(run.session.turn.status).toBe('callingModel');
  });
});

describe('the paging limit', () => {
  const settings = {
    memory: { ...memorySettings.lkj, pagingLimit: { enable: true, maxTokens: 20 } },
  };
  const full = runEvents(
    createProfileSession('lkj', { settings }),
    userMessage(),
    modelReplied('', {
      id: 'a',
      tool: 'working_memory_add',
      args: { tags: 'alice', value: 'kind and careful '.repeat(20) },
    }),
    toolFinished('a'),
  );

  it('pages after an evaluation, whose next state is dropped [LKJ2-12, LKJ2-22, RL-17]', () => {
    expect(readMode(full)).toBe('evaluating');
    const run = runEvents(full, replied('thought', '', { nextState: 'commanding' }));
    expect(run.session.turn.status).toBe('paging');
    const paged = runEvents(run, {
      type: 'paging-finished',
      freedTokens: 0,
      heldTokens: 100,
    });
    expect(readMode(paged)).toBe('thinking');
  });

  it.each(['thinking', 'commanding'] as const)(
    'does not page from %s, which moves on as requested',
    (state) => {
      const elsewhere = {
        ...full.session,
        mode: full.session.mode === null ? null : { ...full.session.mode, state },
      };
      const run = runEvents(elsewhere, replied('thought', '', { nextState: 'commanding' }));
      expect(run.session.turn.status).toBe('callingModel');
      expect(readMode(run)).toBe('commanding');
    },
  );
});
