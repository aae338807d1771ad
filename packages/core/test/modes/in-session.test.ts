import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  createSession,
  replay,
  step,
  type Action,
  type Event,
  type Note,
  type Session,
  type SessionSettings,
} from '../../src/index.ts';
import { listEntries, findEntry, putEntry } from '../../src/memory/memory.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { createLkj1Chart, createLkjChart } from '../../src/modes/charts/lkj.ts';
import { createSavantChart } from '../../src/modes/charts/savant.ts';
import { defineChart } from '../../src/modes/define-chart.ts';

const governorDisabled = { preset: 'none', rules: {} } as const;

/** A session that is told what happens, and what came of it. */
class ModeSessionRun {
  session: Session;
  readonly events: Event[] = [];
  readonly notes: Note[] = [];
  actions: readonly Action[] = [];
  readonly start: Session;
  #at = 1_000;

  constructor(
    settings: Partial<SessionSettings>,
    change: (session: Session) => Session = (session) => session,
  ) {
    this.start = change(
      createSession({ id: 's', at: 0, settings: { governor: governorDisabled, ...settings } }),
    );
    this.session = this.start;
    this.tell({ type: 'user-message', text: 'go' });
  }

  tell(event: object): this {
    this.#at += 100;
    const stamped = { ...event, at: this.#at } as Event;
    const result = step(this.session, stamped);
    this.events.push(stamped);
    this.notes.push(...result.notes);
    this.session = result.session;
    this.actions = result.actions;
    return this;
  }

  /** One reply with one call, which is run if it may be. */
  calls(
    tool: string,
    args: object = {},
    outcome: object = { ok: true, output: 'done' },
    more: object = {},
  ): this {
    this.tell({ type: 'model-replied', text: '', calls: [{ tool, args }], ...more });
    const run = this.actions.find((action) => action.type === 'run-tools');
    for (const { id } of run?.calls ?? []) this.tell({ type: 'tool-finished', callId: id, outcome });
    return this;
  }

  replies(more: object): this {
    return this.tell({ type: 'model-replied', text: '', calls: [], ...more });
  }

  waits(ms: number): this {
    this.#at += ms;
    return this;
  }

  get path(): readonly string[] {
    return this.notes.flatMap((note) => (note.type === 'mode' ? [note.to] : []));
  }

  get advice(): string | null {
    const ask = this.actions.find((action) => action.type === 'ask-model');
    return ask?.advice ?? null;
  }
}

describe('a session with the savant modes', () => {
  const settings = { chart: createSavantChart({ searchTools: ['search'] }) };

  it('follows the tools, and the text for the analysis', () => {
    const run = new ModeSessionRun(settings);
    run.calls('search', { query: 'architecture' });
    run.replies({ text: 'So there are three layers.' });
    expect(run.actions).toMatchObject([{ type: 'ask-model' }]);
    run.calls('search', { query: 'execution' });
    run.calls('finish', { answer: 'x' }, { ok: true, output: 'x', final: true });
    expect(run.path).toEqual(['SEARCHING', 'ANALYZING', 'DECIDING', 'SEARCHING', 'FINISHING']);
    expect(run.session.turn.status).toBe('waitingForUser');
    run.tell({ type: 'user-message', text: 'and now?' });
    expect(run.session.mode).toMatchObject({ state: 'INIT', steps: 0 });
  });

  it('denies calls the mode does not allow, and tells the model why', () => {
    const run = new ModeSessionRun(settings);
    run.calls('search', { query: 'a' }).calls('write', { path: 'x' });
    expect(run.session.mode?.state).toBe('SEARCHING');
    const last = toItemArray(getConversation(run.session)).at(-1);
    expect(last).toMatchObject({ role: 'tool', outcome: { ok: false, error: { kind: 'denied' } } });
    expect(JSON.stringify(last)).toContain('write');
    expect(run.session.mode?.refusal).toContain('SEARCHING');
  });

  it('enters a stuck state with the verdict, and finishes with the last answer [SAV-122]', () => {
    const run = new ModeSessionRun({ ...settings, governor: { preset: 'pawl', rules: {} } });
    for (let time = 0; time < 4; time += 1) run.calls('search', { query: 'a' }, { ok: true, output: 'none' });
    expect(run.session.mode?.state).toBe('STUCK_SEARCH');
    run.replies({ text: 'I found nothing.' });
    expect(run.session.mode?.state).toBe('FINISHING');
    expect(run.session.turn.status).toBe('halted');
    expect(run.notes.findLast((note) => note.type === 'mode')).toMatchObject({ cause: 'stuck_detection' });
  });

  it('advises the model when a mode lasts too long, and then ends the session', () => {
    const chart = defineChart({
      name: 'short',
      initial: 'looking',
      states: [{ name: 'looking', tools: '*', next: ['looking'], stuckAfterSteps: 3, timeoutMs: 60_000 }],
    });
    const bySteps = new ModeSessionRun({ chart, governor: { preset: 'pawl', rules: {} } });
    for (let time = 0; time < 3; time += 1)
      bySteps.calls('read', { path: `${time}` }, { ok: true, output: `${time}` });
    expect(bySteps.advice).toContain('looking has lasted 3 steps');
    for (let time = 3; time < 5; time += 1)
      bySteps.calls('read', { path: `${time}` }, { ok: true, output: `${time}` });
    expect(bySteps.actions).toMatchObject([{ type: 'ask-model', tools: false }]);
    const byTime = new ModeSessionRun({ chart, governor: { preset: 'pawl', rules: {} } });
    byTime.waits(61_000).calls('read', { path: 'a' });
    expect(byTime.advice).toContain('ms of at most 60000ms');
  });
});

/** Something that fills working memory and cannot be moved. */
function fillMemory(session: Session): Session {
  const { memory } = session;
  if (memory === null) return session;
  return {
    ...session,
    memory: putEntry(memory, { key: 'pinned', value: 'x'.repeat(1_000), at: 0, pinned: true }),
  };
}

describe('a librarian session', () => {
  const lkj = { chart: createLkjChart(), memory: memorySettings.lkj };

  it('continues thinking without a call, commands, and evaluates the result [LKJ2-02, LKJ2-09, LKJ2-19]', () => {
    const run = new ModeSessionRun(lkj);
    run.replies({ nextState: 'thinking', logs: { think: 'What do I know?' } });
    expect(run.actions).toMatchObject([{ type: 'ask-model' }]);
    run.replies({ nextState: 'commanding', logs: { think: 'I will note it.' } });
    run.calls('working_memory_add', { tags: 'alice age', value: '42' });
    run.replies({ nextState: 'thinking', logs: { evaluation: 'Noted.' } });
    expect(run.path).toEqual(['commanding', 'evaluating', 'thinking']);
    const { memory } = run.session;
    const held =
      memory === null ? [] : listEntries(memory).map(({ key, value }) => `${key}: ${JSON.stringify(value)}`);
    expect(held[0]).toBe('think_log_001: "What do I know?"');
    expect(held).toContain('alice_age: "42"');
    expect(held).toContain('evaluation_log_001: "Noted."');
    expect(held.some((line) => line.startsWith('command_log_001: '))).toBe(true);
  });

  it('logs failed actions with their input [LKJ1-108, LKJ1-107]', () => {
    const run = new ModeSessionRun(lkj);
    const outcome = { ok: false, error: { kind: 'invalid', message: 'There is nothing to add.' } };
    run.calls('working_memory_add', { tags: 'alice age' }, outcome);
    const { memory } = run.session;
    const line = memory === null ? '' : JSON.stringify(findEntry(memory, 'command_log_001')?.value);
    expect(line).toContain('working_memory_add');
    expect(line).toContain('alice');
    expect(line).toContain('needs a value');
    expect(run.session.mode?.refusal).toContain('There is nothing to add.');
  });

  it('does no more work in the thousandth cycle than in the first [LKJ1-90, LKJ1-91]', () => {
    const run = new ModeSessionRun({ ...lkj, chart: createLkjChart({ maxIterations: null }) });
    const sizes: number[] = [];
    for (let cycle = 0; cycle < 1_000; cycle += 1) {
      run.replies({ nextState: 'commanding', logs: { think: 'On I go.' } });
      run.calls('working_memory_add', { tags: 'note', value: 'the same' });
      run.replies({ nextState: 'thinking', logs: { evaluation: 'Done.' } });
      sizes.push(JSON.stringify([run.session.mode, run.session.memory]).length);
    }
    expect(run.session.mode?.state).toBe('thinking');
    expect(sizes[999]).toBeLessThan((sizes[99] ?? 0) * 1.1);
  });

  it('reads storage results from the event, so that a replay needs no storage', () => {
    const nextRun = new ModeSessionRun(lkj);
    nextRun.tell({
      type: 'model-replied',
      text: '',
      calls: [{ tool: 'storage_load', args: { tags: 'bob' } }],
    });
    const run = nextRun.actions.find((action) => action.type === 'run-tools');
    const match = [{ key: 'bob', value: 'a builder', kind: 'entry', savedAt: 5 }];
    nextRun.tell({
      type: 'tool-finished',
      callId: run?.calls[0]?.id,
      outcome: { ok: true, output: 'ok' },
      foundEntries: match,
    });
    const { memory } = nextRun.session;
    expect(memory === null ? [] : listEntries(memory).map(({ key }) => key)).toContain('bob');
    expect(replay(nextRun.start, nextRun.events)).toEqual(nextRun.session);
  });

  it('answers an unreadable reply with its problem, back in thinking [LKJ1-84]', () => {
    const run = new ModeSessionRun({ chart: createLkj1Chart(), memory: memorySettings.lkj1 });
    run.replies({ nextState: 'executing' });
    run.replies({ text: '<agent><nxt', problem: 'There is no <agent> element.' });
    expect(run.session.mode?.state).toBe('thinking');
    expect(run.advice).toContain('There is no <agent> element.');
    expect(run.session.turn.status).toBe('callingModel');
  });

  it('pages once the paging limit is reached, whatever state the model requested [LKJ2-12, LKJ2-14, LKJ2-22, RL-17]', () => {
    const settings = { ...memorySettings.lkj, pagingLimit: { enable: true, maxTokens: 100 } };
    const run = new ModeSessionRun({ chart: createLkjChart(), memory: settings });
    run.calls('working_memory_add', { tags: 'long', value: 'word '.repeat(100) });
    expect(run.session.mode?.state).toBe('evaluating');
    run.replies({ nextState: 'commanding' });
    expect(run.session.mode?.state).toBe('paging');
    expect(run.session.turn.status).toBe('paging');
    expect(run.actions).toMatchObject([{ type: 'page-memory' }]);
    run.tell({ type: 'paging-finished', freedTokens: 100 });
    expect(run.session.mode?.state).toBe('thinking');
    expect(run.session.turn.status).toBe('callingModel');
    expect(run.notes).toContainEqual(
      expect.objectContaining({ type: 'paged', moved: [expect.objectContaining({ key: 'long' })] }),
    );
  });

  it('pages before the model call at the hard limit, and then calls the model in any case [RL-11]', () => {
    const settings = {
      ...memorySettings.lkj,
      pagingLimit: { enable: false, maxTokens: 50 },
      hardLimit: { enable: true, maxTokens: 100 },
    };
    const run = new ModeSessionRun({ chart: createLkjChart(), memory: settings }, fillMemory);
    expect(run.session.turn.status).toBe('paging');
    run.tell({ type: 'paging-finished', freedTokens: 0 });
    expect(run.session.turn.status).toBe('callingModel');
    const before = run.session.memory;
    run.calls(
      'working_memory_add',
      { tags: 'more', value: 'y'.repeat(500) },
      { ok: false, error: { kind: 'failed', message: 'there is no room' } },
    );
    const keys = run.session.memory === null ? [] : listEntries(run.session.memory).map(({ key }) => key);
    expect(before).not.toBeNull();
    expect(keys).not.toContain('more');
  });
});

describe('any session with modes and memory', () => {
  const event = fc.oneof(
    fc.record({
      type: fc.constant('model-replied'),
      text: fc.string({ maxLength: 5 }),
      calls: fc.constant([]),
    }),
    fc.record({
      type: fc.constant('model-replied'),
      text: fc.constant(''),
      calls: fc.constant([]),
      nextState: fc.constantFrom('thinking', 'commanding', 'evaluating', 'paging', '__proto__', 'nowhere'),
      logs: fc.constant({ think: 'hm' }),
    }),
    fc.record({
      type: fc.constant('model-replied'),
      text: fc.constant(''),
      calls: fc.array(
        fc.record({
          tool: fc.constantFrom('working_memory_add', 'storage_load', 'storage_search', 'read', 'finish'),
          args: fc.record({ tags: fc.string({ maxLength: 8 }), value: fc.string({ maxLength: 30 }) }),
        }),
        { maxLength: 2 },
      ),
    }),
    fc.record({
      type: fc.constant('model-replied'),
      text: fc.string(),
      calls: fc.constant([]),
      problem: fc.string(),
    }),
    fc.record({
      type: fc.constant('tool-finished'),
      callId: fc.constantFrom('1-1', 'call-1', 'x'),
      outcome: fc.constantFrom(
        { ok: true, output: 'y' },
        { ok: false, error: { kind: 'failed', message: 'n' } },
      ),
    }),
    fc.constant({ type: 'paging-finished', freedTokens: 10 }),
    fc.constant({ type: 'user-message', text: 'more' }),
    fc.constant({ type: 'pause-requested', reason: 'r' }),
    fc.constant({ type: 'resume-requested' }),
  );

  it('replays to the same state, is plain JSON, and is always in a mode of its chart', () => {
    const small = { ...memorySettings.lkj, pagingLimit: { enable: true, maxTokens: 30 } };
    fc.assert(
      fc.property(
        fc.constantFrom(createLkjChart(), createLkj1Chart(), createSavantChart()),
        fc.constantFrom('none', 'pawl'),
        fc.array(event, { maxLength: 40 }),
        (chart, preset, list) => {
          const run = new ModeSessionRun({ chart, memory: small, governor: { preset, rules: {} } });
          for (const each of list) {
            const open = run.actions.find((action) => action.type === 'run-tools');
            const callId = open?.calls[0]?.id;
            const isEnd = each.type === 'tool-finished' && callId !== undefined;
            run.tell(isEnd ? { ...each, callId } : each);
          }
          expect(replay(run.start, run.events)).toEqual(run.session);
          expect(JSON.parse(JSON.stringify(run.session))).toEqual(run.session);
          expect(chart.states.map(({ name }) => name)).toContain(run.session.mode?.state);
        },
      ),
    );
  });
});
