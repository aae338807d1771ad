import { Agent, type StepResult, type Tool } from '../../src/index.ts';
import { createScriptedModel, type ScriptedReply } from '../../src/models-entry.ts';
import { finishTool } from '../../src/tools-entry.ts';
import { createSession, type Json, type ToolOutcome } from '@pawl/core';
import type { PhaseState } from '@pawl/core/phases';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPhaseTools } from '../../src/tools/phases.ts';

const minuteMs = 60_000;

/** An agent that has the tools, and a way to call them as its loop would. */
function startPhaseAgent(
  replies: readonly ScriptedReply[] = [],
  totalPhases?: number,
): {
  readonly agent: Agent;
  readonly seen: StepResult[];
  readonly time: { at: number };
  readonly use: (name: string, args: Json, signal?: AbortSignal) => Promise<ToolOutcome>;
  readonly phases: () => PhaseState;
} {
  const seen: StepResult[] = [];
  const time = { at: 1_000 };
  const clock = { now: () => time.at, sleepUntil: () => Promise.resolve() };
  const tools: readonly Tool[] = createPhaseTools({
    post: (event) => agent.post(event),
    phases: () => agent.session.phases,
    clock,
  });
  const agent: Agent = new Agent({
    model: createScriptedModel(replies),
    tools: [...tools, finishTool],
    session: createSession({ id: 'test', at: 0, ...(totalPhases !== undefined && { totalPhases }) }),
    clock,
    observe: (each) => seen.push(each),
  });
  const use = async (
    name: string,
    args: Json,
    signal = new AbortController().signal,
  ): Promise<ToolOutcome> => {
    const tool = tools.find(({ description }) => description.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return tool.run(args, { signal, report: () => undefined });
  };
  return { agent, seen, time, use, phases: () => agent.session.phases };
}

function getOutcomeOutput(outcome: ToolOutcome): Json {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.output;
}

function getOutcomeError(outcome: ToolOutcome): string {
  if (outcome.ok) throw new Error('it worked');
  return outcome.error.message;
}

function listPhaseChanges(seen: readonly StepResult[]): readonly string[] {
  return seen
    .flatMap(({ notes }) => notes)
    .flatMap((note) =>
      note.type === 'phase-started' || note.type === 'phase-completed' ? [`${note.type} ${note.number}`] : [],
    );
}

const createStartCall = (args: { readonly [name: string]: Json }) => ({ tool: 'phase_start', args });
const createCompleteCall = (args: { readonly [name: string]: Json }) => ({ tool: 'phase_complete', args });

describe('a model with phase tools', () => {
  it('plans its work and proceeds through it, with its progress in each result', async () => {
    const { agent, seen, phases } = startPhaseAgent([
      { calls: [createStartCall({ description: 'Look', total: 2, expectedMinutes: 5 })] },
      { calls: [createStartCall({ description: 'Mend' })] },
      { calls: [createCompleteCall({ success: true, summary: 'Mended.' })] },
      { calls: [{ tool: 'finish', args: { answer: 'done' } }] },
    ]);
    void agent.sendMessage('mend it');
    await agent.waitUntilIdle();
    expect(phases()).toMatchObject({
      total: 2,
      current: null,
      completed: [
        { number: 1, description: 'Look', expectedMs: 5 * minuteMs, success: true, summary: null },
        { number: 2, description: 'Mend', expectedMs: null, success: true, summary: 'Mended.' },
      ],
    });
    const messages = seen.flatMap(({ event }) =>
      event.type === 'tool-finished' && event.outcome.ok ? [event.outcome.output] : [],
    );
    expect(messages.slice(0, 3)).toMatchObject([
      { what: 'Phase 1 has started.', now: 'phase 1 of 2: Look (0 ms of 5 min; 0 done, 0 %)', next: 2 },
      { what: 'Phase 2 has started.', over: [{ number: 1, success: true }] },
      { what: 'Phase 2 is done.', now: 'no phase under way (2 done, 100 %)' },
    ]);
  });

  it('changes phase at once, and enters the transition when its tools are done', async () => {
    const { agent, seen } = startPhaseAgent([
      { calls: [createStartCall({ description: 'Look' })] },
      { text: 'done' },
    ]);
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    const at = seen.findIndex(({ event }) => event.type === 'phase-started');
    expect(seen[at]?.session.turn.status).toBe('executingTools');
    expect(seen[at]?.session.phases.current?.number).toBe(1);
    const after = seen.slice(at).flatMap(({ notes }) => notes);
    expect(after.filter((note) => note.type === 'transition').map(({ to }) => to)).toEqual([
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'callingModel',
      'processingResponse',
      'waitingForUser',
    ]);
  });

  it('that sends the same request several times concurrently changes phase once [RN-08]', async () => {
    const start1 = createStartCall({ description: 'Look' });
    const complete1 = createCompleteCall({ number: 1, success: false, summary: 'Nothing there.' });
    const { agent, seen, phases } = startPhaseAgent([
      { calls: [start1, start1, createStartCall({ description: 'Look', number: 1 })] },
      { calls: [complete1, complete1, createCompleteCall({ success: true, summary: 'All is well.' })] },
      { text: 'done' },
    ]);
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(listPhaseChanges(seen)).toEqual(['phase-started 1', 'phase-completed 1']);
    expect(phases().completed).toMatchObject([{ number: 1, success: false, summary: 'Nothing there.' }]);
  });
});

describe('phase_start', () => {
  it('accepts the next number or a later one', async () => {
    const { use, phases } = startPhaseAgent();
    for (const args of [{ description: 'a' }, { description: 'b' }, { description: 'c', number: 7 }]) {
      expect(await use('phase_start', args)).toMatchObject({ ok: true });
    }
    expect(phases()).toMatchObject({ current: { number: 7 }, completed: [{ number: 1 }, { number: 2 }] });
    expect(getOutcomeOutput(await use('phase_status', {}))).toMatchObject({ next: 8 });
  });

  it.each([
    [0, 'Expected an integer, 1 for the first phase'],
    [-1, 'Expected an integer, 1 for the first phase'],
    [1.5, 'Expected an integer, 1 for the first phase'],
    [Number.NaN, 'Expected an integer, 1 for the first phase'],
    [1e9, 'A phase has a whole number from 1 to 5, and this one has 1000000000. The next one is 4.'],
    [6, 'A phase has a whole number from 1 to 5, and this one has 6. The next one is 4.'],
    [2, 'Phase 2 is over, and phases only go forward. The next one is 4.'],
  ])('rejects the number %d, and explains why', async (number, why) => {
    const { use, phases } = startPhaseAgent([], 5);
    for (const each of [2, 3]) await use('phase_start', { description: `part ${each}`, number: each });
    const before = phases();
    expect(getOutcomeError(await use('phase_start', { description: 'x', number }))).toContain(why);
    expect(phases()).toBe(before);
  });

  it('has a limit even if the number of phases is not planned', async () => {
    const { use, phases } = startPhaseAgent();
    await use('phase_start', { description: 'the last', number: 100 });
    expect(getOutcomeError(await use('phase_start', { description: 'one more' }))).toContain(
      'There is no phase left.',
    );
    expect(getOutcomeError(await use('phase_start', { description: 'more', total: 101 }))).toContain('total');
    expect(phases().current?.number).toBe(100);
  });

  it('rejects fewer phases than there were, and an empty description', async () => {
    const { use, phases } = startPhaseAgent([], 3);
    await use('phase_start', { description: 'a', number: 2 });
    expect(getOutcomeError(await use('phase_start', { description: 'b', total: 2 }))).toContain(
      'from 1 to 2',
    );
    for (const args of [{ description: ' ' }, {}, null, { description: 'b', expectedMinutes: 0 }]) {
      expect(await use('phase_start', args)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    }
    expect(phases()).toMatchObject({ total: 3, current: { number: 2 } });
  });
});

describe('phase_complete', () => {
  it('records blockers [NEX-42, NEX-68]', async () => {
    const { use, phases } = startPhaseAgent();
    await use('phase_start', { description: 'a' });
    const args = { success: false, summary: 'No way.', blockers: ['no network', 'no key'] };
    expect(getOutcomeOutput(await use('phase_complete', args))).toMatchObject({
      what: 'Phase 1 has failed.',
    });
    expect(phases().completed).toMatchObject([{ success: false, blockers: ['no network', 'no key'] }]);
  });

  it('reports a phase that is already completed, has not started, or does not exist', async () => {
    const { use, seen } = startPhaseAgent();
    const args = { success: true, summary: 'ok' };
    expect(getOutcomeError(await use('phase_complete', args))).toBe(
      'No phase has started. Start one with phase_start.',
    );
    await use('phase_start', { description: 'a' });
    expect(getOutcomeError(await use('phase_complete', { ...args, number: 2 }))).toBe(
      'Phase 2 has not started, so it cannot be completed. Phase 1 is in progress.',
    );
    await use('phase_start', { description: 'b' });
    const before = seen.length;
    expect(getOutcomeOutput(await use('phase_complete', { ...args, number: 1 }))).toMatchObject({
      what: 'Phase 1 was already completed; it succeeded.',
      current: { number: 2 },
    });
    expect(seen.length).toBe(before);
  });
});

describe('phase_status', () => {
  it('changes nothing, and shows the latest phases, the totals and overdue phases', async () => {
    const { use, time, seen } = startPhaseAgent();
    for (let number = 1; number <= 30; number += 1) {
      await use('phase_start', { description: `part ${number}`, expectedMinutes: 1 });
    }
    const before = seen.length;
    time.at += 3 * minuteMs;
    const status = getOutcomeOutput(await use('phase_status', {})) as {
      now: string;
      over: { number: number }[];
    };
    expect(status.now).toBe('phase 30: part 30 (3 min of 1 min, overdue; 29 done)');
    expect(status.over.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 10));
    expect(status).toMatchObject({
      totals: { filesChanged: 0, testsPassed: 0, testsFailed: 0, blockers: 0 },
    });
    expect(seen.length).toBe(before);
  });
});

describe('a phase change', () => {
  it('that was cancelled is not made', async () => {
    const { use, phases } = startPhaseAgent();
    const outcome = await use('phase_start', { description: 'a' }, AbortSignal.abort());
    expect(outcome).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    expect(phases().current).toBeNull();
  });

  it('that the session rejects is an error', async () => {
    const { agent, use } = startPhaseAgent();
    await agent.post({ type: 'halt-requested', reason: 'enough' });
    expect(getOutcomeError(await use('phase_start', { description: 'a' }))).toContain(
      'rejected the phase change',
    );
  });

  it('that throws does not block the next', async () => {
    const { phases } = startPhaseAgent();
    let calls = 0;
    const [, tool] = createPhaseTools({
      phases,
      post: () => (calls++ === 0 ? Promise.reject(new Error('no log')) : Promise.resolve(true)),
    });
    const context = { signal: new AbortController().signal, report: () => undefined };
    const results = await Promise.allSettled([
      tool?.run({ description: 'a' }, context),
      tool?.run({ description: 'b' }, context),
    ]);
    expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: { ok: true } }]);
  });
});

describe('with any concurrent requests', () => {
  const asked = fc.oneof(
    fc.record({
      name: fc.constant('phase_start'),
      args: fc.record(
        { description: fc.constantFrom('a', 'b', 'c'), number: fc.integer({ min: -1, max: 6 }) },
        { requiredKeys: ['description'] },
      ),
    }),
    fc.record({
      name: fc.constant('phase_complete'),
      args: fc.record(
        {
          success: fc.boolean(),
          summary: fc.constant('so it is'),
          number: fc.integer({ min: -1, max: 6 }),
        },
        { requiredKeys: ['success', 'summary'] },
      ),
    }),
  );

  it('phases only advance, and each is started and recorded once [RN-08]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 20 }), async (calls) => {
        const { use, phases, seen } = startPhaseAgent([], 5);
        const outcomes = await Promise.all(calls.map(({ name, args }) => use(name, args as Json)));
        for (const outcome of outcomes) if (!outcome.ok) expect(outcome.error.kind).toBe('invalid');
        const changes = listPhaseChanges(seen);
        expect(new Set(changes).size).toBe(changes.length);
        const { completed, current } = phases();
        const numbers = [...completed.map(({ number }) => number), ...(current ? [current.number] : [])];
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
        expect(numbers.every((number) => number >= 1 && number <= 5)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a plan', () => {
  it('records the phases and starts the first', async () => {
    const { use, phases } = startPhaseAgent();
    const output = JSON.stringify(getOutcomeOutput(await use('plan', { phases: ['Look', 'Mend', 'Check'] })));
    expect(output).toContain('1. Look');
    expect(output).toContain('3. Check');
    expect(phases()).toMatchObject({ total: 3, current: { number: 1, description: 'Look' } });
    await use('phase_start', { description: 'Mend' });
    expect(phases()).toMatchObject({
      total: 3,
      current: { number: 2 },
      completed: [{ number: 1, success: true }],
    });
  });

  it('can be replaced by a new plan', async () => {
    const { use, phases } = startPhaseAgent();
    await use('plan', { phases: ['Look', 'Mend'] });
    await use('plan', { phases: ['Look again', 'Ask', 'Mend'] });
    expect(phases()).toMatchObject({ total: 4, current: { number: 2, description: 'Look again' } });
  });

  it('needs at least one phase', async () => {
    const { use } = startPhaseAgent();
    expect(await use('plan', { phases: [] })).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  });
});
