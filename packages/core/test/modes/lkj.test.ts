import { describe, expect, it } from 'vitest';
import { listNextStates, listOfferedTools } from '../../src/modes/transition-mode.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { createLkj1Chart, createLkjChart } from '../../src/modes/charts/lkj.ts';
import { resumeMode, startMode } from '../../src/modes/mode.ts';
import { getModeState } from '../../src/modes/mode-chart.ts';
import { appendModePrompt } from '../../src/modes/mode-prompt.ts';
import {
  createStateRequest,
  createModeInState,
  createMoveRequest,
  createToolReply,
  createToolResults,
  textReply,
  applyModePayload,
  tickPayload,
  walkModeChart,
} from './walk-mode-chart.ts';

const { lkj, lkj1 } = modeCharts;
const lkjVersions = [
  {
    chart: lkj,
    acting: 'commanding',
    afterAction: 'evaluating',
    actionStates: ['thinking', 'commanding', 'evaluating'],
  },
  { chart: lkj1, acting: 'executing', afterAction: 'thinking', actionStates: ['thinking', 'executing'] },
] as const;
const versions = lkjVersions.map((version) => ({ ...version, name: version.chart.name }));

/** Every state and what each `next_state` makes of it; null is none. */
const expectedNextStates = [
  ['lkj', 'thinking', { thinking: 'thinking', commanding: 'commanding', evaluating: 'evaluating' }],
  ['lkj', 'commanding', { thinking: 'thinking', commanding: 'commanding', evaluating: 'evaluating' }],
  ['lkj', 'evaluating', { thinking: 'thinking', commanding: 'commanding', evaluating: 'evaluating' }],
  ['lkj1', 'thinking', { thinking: 'thinking', executing: 'executing' }],
  ['lkj1', 'executing', { thinking: 'thinking' }],
] as const;
const names = ['thinking', 'commanding', 'executing', 'evaluating', 'paging', 'dreaming', '', '__proto__'];

describe('the second version', () => {
  it('has four states and starts in thinking [LKJ2-03, LKJ2-06, LKJ2-10, LKJ2-13]', () => {
    expect(lkj.states.map(({ name }) => name)).toEqual(['thinking', 'commanding', 'evaluating', 'paging']);
    expect(startMode(lkj, 0).state).toBe('thinking');
  });

  it('allows thinking, commanding or evaluating from thinking, even before any action [LKJ2-04, RL-19]', () => {
    expect(listNextStates(lkj, startMode(lkj, 0))).toEqual(['thinking', 'commanding', 'evaluating']);
    expect(applyModePayload(lkj, startMode(lkj, 0), createStateRequest('evaluating'))).toMatchObject({
      ok: true,
      mode: { state: 'evaluating' },
    });
  });

  it('evaluates after an action [LKJ2-09, LKJ2-19]', () => {
    const { mode, moves } = walkModeChart(lkj, [
      createStateRequest('commanding'),
      createToolReply('storage_load'),
      createToolResults(true),
    ]);
    expect(mode.state).toBe('evaluating');
    expect(moves.at(-1)).toMatchObject({ from: 'commanding', to: 'evaluating', cause: 'action' });
  });

  it('goes from evaluating to the requested state, or to thinking [LKJ2-21, LKJ2-23, LKJ2-24]', () => {
    const evaluating = createModeInState(lkj, 'evaluating');
    expect(applyModePayload(lkj, evaluating, createStateRequest('commanding')).mode.state).toBe('commanding');
    expect(applyModePayload(lkj, evaluating, textReply).mode.state).toBe('thinking');
  });

  it('pages between evaluating and thinking [LKJ2-12, LKJ2-22]', () => {
    const { moves } = walkModeChart(
      lkj,
      [{ type: 'paging-needed' }, { type: 'paging-done' }],
      createModeInState(lkj, 'evaluating'),
    );
    expect(moves.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'evaluating → paging',
      'paging → thinking',
    ]);
  });

  it('changes state only on replies of the model [LKJ2-01]', () => {
    const cycle = [
      createStateRequest('commanding'),
      createToolReply('storage_save'),
      createToolResults(true),
      createStateRequest('thinking'),
    ];
    const { moves } = walkModeChart(lkj, [tickPayload, ...cycle, tickPayload, ...cycle]);
    expect(moves.map(({ to }) => to)).toEqual(
      Array.from({ length: 2 }, () => ['commanding', 'evaluating', 'thinking']).flat(),
    );
  });

  it('has a prompt and a next state for each state [LKJ1-28, LKJ2-02]', () => {
    const prompts = lkj.states.map(({ name }) =>
      appendModePrompt('', lkj, createModeInState(lkj, name), { at: 0 }),
    );
    for (const [index, { name, prompt }] of lkj.states.entries()) {
      expect(prompt).not.toBe('');
      expect(prompts.filter((text) => text.includes(prompt))).toEqual([prompts[index]]);
      expect(prompts[index]).toContain(`Current Phase: ${name.toUpperCase()}`);
    }
    const after = lkj.states.map(
      ({ name }) => applyModePayload(lkj, createModeInState(lkj, name), createToolReply('storage_load')).ok,
    );
    expect(after).toEqual([true, true, true, false]);
  });
});

describe('the first version', () => {
  it('has three states and starts in thinking [LKJ1-02, LKJ1-07, LKJ1-11, LKJ1-16, LKJ1-17]', () => {
    expect(lkj1.states.map(({ name }) => name)).toEqual(['thinking', 'executing', 'paging']);
    expect(startMode(lkj1, 0).state).toBe('thinking');
    expect(resumeMode(lkj1, 'executing', 5)).toMatchObject({ mode: { state: 'executing' }, warning: null });
  });

  it('stays in thinking until the model requests executing [LKJ1-03, LKJ1-05, LKJ1-06, LKJ1-19, LKJ1-20, LKJ1-37, LKJ1-38]', () => {
    const long = walkModeChart(
      lkj1,
      Array.from({ length: 30 }, () => createStateRequest('thinking')),
    );
    expect([long.mode.state, long.moves, long.transitions.every(({ ok }) => ok)]).toEqual([
      'thinking',
      [],
      true,
    ]);
    expect(applyModePayload(lkj1, long.mode, createStateRequest('executing')).mode.state).toBe('executing');
  });

  it('goes to thinking without a next_state [LKJ1-10, LKJ1-39]', () => {
    expect(applyModePayload(lkj1, startMode(lkj1, 0), textReply)).toMatchObject({
      ok: true,
      mode: { state: 'thinking' },
    });
    expect(
      applyModePayload(lkj1, createModeInState(lkj1, 'executing'), createStateRequest(null)).mode.state,
    ).toBe('thinking');
  });

  it('returns to thinking after an action [LKJ1-10, LKJ1-21, LKJ1-44]', () => {
    for (const action of ['working_memory_add', 'working_memory_remove', 'storage_load', 'storage_save']) {
      const { mode, moves } = walkModeChart(lkj1, [
        createStateRequest('executing'),
        createToolReply(action),
        createToolResults(true),
      ]);
      expect(mode.state).toBe('thinking');
      expect(moves.at(-1)).toMatchObject({ from: 'executing', to: 'thinking', cause: 'action' });
    }
  });

  it('pages once each time, and then thinks [LKJ1-12, LKJ1-13, LKJ1-15]', () => {
    const { moves } = walkModeChart(lkj1, [
      { type: 'paging-needed' },
      { type: 'paging-needed' },
      { type: 'paging-done' },
      { type: 'paging-done' },
    ]);
    expect(moves.map(({ to }) => to)).toEqual(['paging', 'thinking']);
  });

  it('prompts the model to reason and choose while thinking, and describes the actions for executing [LKJ1-18, LKJ1-29..31]', () => {
    expect(getModeState(lkj1, 'thinking')?.prompt).toMatch(/chain of reasoning.*thinking_log.*choose/s);
    const lines = getModeState(lkj1, 'executing')?.prompt.split('\n') ?? [];
    expect(lines.slice(1).map((line) => line.replace(/: .+$/, ''))).toEqual([
      '- working_memory_add',
      '- working_memory_remove',
      '- storage_load',
      '- storage_save',
    ]);
  });

  it('tells the model its role in every state: a librarian with a small working memory and unlimited storage [LKJ1-25]', () => {
    for (const { name } of lkj1.states) {
      const prompt = appendModePrompt('', lkj1, createModeInState(lkj1, name), { at: 0 });
      expect(prompt).toMatch(
        /librarian that works as a state machine: your working memory is small, your storage is unlimited/,
      );
      expect(prompt).toMatch(/Include next_state and thinking_log/);
    }
  });

  it('accepts custom actions', () => {
    const other = createLkj1Chart({ actions: ['paint', 'storage_load'] });
    expect(getModeState(other, 'executing')?.prompt).toMatch(/\n- paint\n- storage_load: ./);
    expect(listOfferedTools(other, startMode(other, 0), ['paint', 'storage_save'])).toEqual(['paint']);
    const any = createLkj1Chart({ actions: '*' });
    expect(listOfferedTools(any, startMode(any, 0), ['paint'])).toEqual(['paint']);
  });

  it('has exactly the four actions', () => {
    const actions = ['working_memory_add', 'working_memory_remove', 'storage_load', 'storage_save'];
    expect(listOfferedTools(lkj1, startMode(lkj1, 0), [...actions, 'storage', 'storage_search'])).toEqual(
      actions,
    );
  });
});

describe.each(versions)('both versions: $name', ({ chart, acting, afterAction, actionStates }) => {
  it.each(actionStates)(
    'go from %s to the state that follows an action, whatever next_state says [LKJ2-19, RL-13, RL-14]',
    (state) => {
      const reply = { ...createStateRequest(acting), tools: ['storage_load'] } as ReturnType<
        typeof createStateRequest
      >;
      const { mode, transitions } = walkModeChart(
        chart,
        [reply, createToolResults(true)],
        createModeInState(chart, state),
      );
      expect(transitions[0]).toMatchObject({ ok: true, changes: [], refused: [] });
      expect(mode.state).toBe(afterAction);
    },
  );

  it.each(actionStates)(
    'go from %s back to thinking when an action fails or does not exist, and say why [LKJ1-45, LKJ1-86, LKJ1-87]',
    (state) => {
      const failed = walkModeChart(
        chart,
        [createToolReply('storage_load'), createToolResults(false)],
        createModeInState(chart, state),
      );
      const none = walkModeChart(chart, [createToolReply('storage')], createModeInState(chart, state));
      for (const { mode, transitions } of [failed, none]) {
        expect(mode.state).toBe('thinking');
        expect(transitions.at(-1)?.ok).toBe(false);
        expect(mode.history.at(-1)).toMatchObject({ from: state, to: 'thinking' });
        expect(mode.refusal).toBe(transitions.at(-1)?.error);
      }
      expect(none.transitions[0]).toMatchObject({
        refused: ['storage'],
        error: 'there is no action "storage"',
      });
    },
  );

  it('return to thinking after an unreadable reply [LKJ1-84]', () => {
    const { mode, ok, error } = applyModePayload(chart, createModeInState(chart, acting), {
      type: 'reply-failed',
      reason: 'no <agent>',
    });
    expect([mode.state, ok, error]).toEqual(['thinking', false, 'the reply could not be read: no <agent>']);
  });

  it('accept one action at a time and reject more [LKJ1-08, RX-09]', () => {
    const one = applyModePayload(chart, createModeInState(chart, acting), createToolReply('storage_load'));
    expect(one).toMatchObject({ ok: true, refused: [] });
    const two = applyModePayload(
      chart,
      createModeInState(chart, acting),
      createToolReply('storage_load', 'storage_save'),
    );
    expect(two).toMatchObject({
      ok: false,
      error: 'one action at a time: the reply has 2',
      refused: ['storage_load', 'storage_save'],
      mode: { state: 'thinking' },
    });
  });

  it('give paging precedence over the requested state [RL-17]', () => {
    const evaluating = createModeInState(chart, afterAction);
    const paging = [{ type: 'paging-needed' }, { type: 'paging-done' }] as const;
    const { mode, transitions } = walkModeChart(
      chart,
      [paging[0], createStateRequest(acting), paging[1]],
      evaluating,
    );
    expect(mode.state).toBe('thinking');
    expect(transitions[1]).toMatchObject({ ok: false, changes: [], mode: { state: 'paging' } });
  });

  it('execute no action while paging [RL-14]', () => {
    const paging = createModeInState(chart, 'paging');
    expect(listOfferedTools(chart, paging, ['storage_load'])).toEqual([]);
    expect(applyModePayload(chart, paging, createToolReply('storage_load'))).toMatchObject({
      ok: false,
      refused: ['storage_load'],
    });
    expect(applyModePayload(chart, paging, createToolResults(true)).mode.state).toBe('paging');
    expect(applyModePayload(chart, paging, { type: 'reply-failed', reason: '' }).mode.state).toBe('paging');
  });

  it('never let the model choose paging, although it is a state [RL-05, RL-07]', () => {
    expect(listNextStates(chart, startMode(chart, 0))).not.toContain('paging');
    const invalid = applyModePayload(chart, startMode(chart, 0), createStateRequest('paging'));
    expect(invalid).toMatchObject({ ok: false, mode: { state: 'thinking' } });
    expect(
      applyModePayload(chart, createModeInState(chart, afterAction), createMoveRequest('paging')).mode.state,
    ).toBe('paging');
    expect(resumeMode(chart, 'paging', 0)).toMatchObject({
      mode: { state: 'thinking' },
      warning: '"paging" is not a state to resume in; reset to thinking',
    });
  });

  it('start in thinking when the saved state is missing or unknown, with a warning [LKJ1-67, LKJ1-81..83, RL-06]', () => {
    for (const retained of [undefined, null, 7, {}])
      expect(resumeMode(chart, retained, 0)).toMatchObject({
        mode: { state: 'thinking' },
        warning: 'no state was saved; reset to thinking',
      });
    expect(resumeMode(chart, 'dreaming', 0)).toMatchObject({
      mode: { state: 'thinking' },
      warning: '"dreaming" is not a state to resume in; reset to thinking',
    });
    const { mode, ok, error } = applyModePayload(chart, createModeInState(chart, 'dreaming'), tickPayload);
    expect([mode.state, ok]).toEqual(['thinking', false]);
    expect(error).toBe(`"dreaming" is not a state of ${chart.name}; reset to thinking`);
  });

  it('trim the requested name, and record an unknown one as an invalid transition [LKJ1-68, RL-07]', () => {
    expect(applyModePayload(chart, startMode(chart, 0), createStateRequest(`  ${acting}\n`)).mode.state).toBe(
      acting,
    );
    expect(
      applyModePayload(chart, startMode(chart, 0), createStateRequest(acting.toUpperCase())).mode.state,
    ).toBe(acting);
    const { mode, changes, error } = applyModePayload(
      chart,
      createModeInState(chart, acting),
      createStateRequest(' dreaming '),
      4,
    );
    expect(mode.state).toBe('thinking');
    expect(error).toContain('there is no state "dreaming"');
    expect(changes).toEqual([{ at: 4, from: acting, to: 'thinking', cause: 'invalid', durationMs: 4 }]);
    expect(
      applyModePayload(chart, startMode(chart, 0), createStateRequest('dreaming')).mode.history,
    ).toMatchObject([{ from: 'thinking', to: 'thinking', cause: 'invalid' }]);
  });

  it('accept each other’s name for the action state', () => {
    const other = acting === 'executing' ? 'commanding' : 'executing';
    expect(applyModePayload(chart, startMode(chart, 0), createStateRequest(other)).mode.state).toBe(acting);
  });

  it('have no terminal state, and stop after a thousand iterations [LKJ1-22, LKJ1-103, LKJ1-104, RL-10]', () => {
    const last = { ...startMode(chart, 0), iterations: 999 };
    const { mode, transitions } = walkModeChart(
      chart,
      [tickPayload, createStateRequest('thinking'), tickPayload],
      last,
    );
    expect(transitions.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(transitions[2]?.error).toBe('all 1000 iterations are used up');
    expect(mode.iterations).toBe(1_000);
    const endless = createLkjChart({ maxIterations: null });
    expect(applyModePayload(endless, { ...startMode(endless, 0), iterations: 1e6 }, tickPayload).ok).toBe(
      true,
    );
  });

  it('record each state change with its time [LKJ1-105, LKJ1-106]', () => {
    const { mode } = applyModePayload(chart, startMode(chart, 1_000), createStateRequest(acting), 1_250);
    expect(mode.state).toBe(acting);
    expect(mode.history).toEqual([
      { at: 1_250, from: 'thinking', to: acting, cause: 'next_state', durationMs: 250 },
    ]);
  });
});

describe.each(expectedNextStates)('%s in %s', (version, state, ways) => {
  const chart = version === 'lkj' ? lkj : lkj1;
  const aliases = new Map([
    version === 'lkj' ? ['executing', 'commanding'] : ['commanding', 'executing'],
  ] as const);

  it.each(names)('is followed by next_state %j if allowed, otherwise by thinking [RL-07, RX-03]', (name) => {
    const to = new Map<string, string>(Object.entries(ways)).get(
      (aliases as ReadonlyMap<string, string>).get(name) ?? name,
    );
    const { ok, mode, error } = applyModePayload(
      chart,
      createModeInState(chart, state),
      createStateRequest(name),
    );
    expect([ok, error === null, mode.state]).toEqual([to !== undefined, to !== undefined, to ?? 'thinking']);
  });
});
