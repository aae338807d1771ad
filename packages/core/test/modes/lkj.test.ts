import { describe, expect, it } from 'vitest';
import { nextStates, offeredTools } from '../../src/modes/allowed.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { lkj1Chart, lkjChart } from '../../src/modes/charts/lkj.ts';
import { resumeMode, startMode } from '../../src/modes/mode.ts';
import { stateNamed } from '../../src/modes/mode-chart.ts';
import { withModePrompt } from '../../src/modes/mode-prompt.ts';
import { asksFor, modeIn, moveTo, picks, results, says, take, ticked, walk } from './walk.ts';

const { lkj, lkj1 } = modeCharts;
const both = [
  {
    chart: lkj,
    acting: 'commanding',
    afterAction: 'evaluating',
    actionStates: ['thinking', 'commanding', 'evaluating'],
  },
  { chart: lkj1, acting: 'executing', afterAction: 'thinking', actionStates: ['thinking', 'executing'] },
] as const;
const versions = both.map((version) => ({ ...version, name: version.chart.name }));

/** Every state and what each `next_state` makes of it; null is none. */
const asked = [
  ['lkj', 'thinking', { thinking: 'thinking', commanding: 'commanding', evaluating: 'evaluating' }],
  ['lkj', 'commanding', { thinking: 'thinking', commanding: 'commanding', evaluating: 'evaluating' }],
  ['lkj', 'evaluating', { thinking: 'thinking', commanding: 'commanding', evaluating: 'evaluating' }],
  ['lkj1', 'thinking', { thinking: 'thinking', executing: 'executing' }],
  ['lkj1', 'executing', { thinking: 'thinking' }],
] as const;
const names = ['thinking', 'commanding', 'executing', 'evaluating', 'paging', 'dreaming', '', '__proto__'];

describe('the second version', () => {
  it('has four states and begins by thinking [LKJ2-03, LKJ2-06, LKJ2-10, LKJ2-13]', () => {
    expect(lkj.states.map(({ name }) => name)).toEqual(['thinking', 'commanding', 'evaluating', 'paging']);
    expect(startMode(lkj, 0).state).toBe('thinking');
  });

  it('may be asked for thinking, commanding or evaluating while thinking, though nothing was done [LKJ2-04, RL-19]', () => {
    expect(nextStates(lkj, startMode(lkj, 0))).toEqual(['thinking', 'commanding', 'evaluating']);
    expect(take(lkj, startMode(lkj, 0), asksFor('evaluating'))).toMatchObject({
      ok: true,
      mode: { state: 'evaluating' },
    });
  });

  it('evaluates what was commanded [LKJ2-09, LKJ2-19]', () => {
    const { mode, moves } = walk(lkj, [asksFor('commanding'), picks('storage_load'), results(true)]);
    expect(mode.state).toBe('evaluating');
    expect(moves.at(-1)).toMatchObject({ from: 'commanding', to: 'evaluating', cause: 'action' });
  });

  it('goes on from evaluating as it is asked to, or thinks [LKJ2-21, LKJ2-23, LKJ2-24]', () => {
    const evaluating = modeIn(lkj, 'evaluating');
    expect(take(lkj, evaluating, asksFor('commanding')).mode.state).toBe('commanding');
    expect(take(lkj, evaluating, says).mode.state).toBe('thinking');
  });

  it('makes room between evaluating and thinking [LKJ2-12, LKJ2-22]', () => {
    const { moves } = walk(
      lkj,
      [{ type: 'paging-needed' }, { type: 'paging-done' }],
      modeIn(lkj, 'evaluating'),
    );
    expect(moves.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'evaluating → paging',
      'paging → thinking',
    ]);
  });

  it('cycles on what the model replies, and nothing else moves it [LKJ2-01]', () => {
    const cycle = [asksFor('commanding'), picks('storage_save'), results(true), asksFor('thinking')];
    const { moves } = walk(lkj, [ticked, ...cycle, ticked, ...cycle]);
    expect(moves.map(({ to }) => to)).toEqual(
      Array.from({ length: 2 }, () => ['commanding', 'evaluating', 'thinking']).flat(),
    );
  });

  it('has a prompt and a way to go on for each state [LKJ1-28, LKJ2-02]', () => {
    const prompts = lkj.states.map(({ name }) => withModePrompt('', lkj, modeIn(lkj, name), { at: 0 }));
    for (const [index, { name, prompt }] of lkj.states.entries()) {
      expect(prompt).not.toBe('');
      expect(prompts.filter((text) => text.includes(prompt))).toEqual([prompts[index]]);
      expect(prompts[index]).toContain(`Current Phase: ${name.toUpperCase()}`);
    }
    const after = lkj.states.map(({ name }) => take(lkj, modeIn(lkj, name), picks('storage_load')).ok);
    expect(after).toEqual([true, true, true, false]);
  });
});

describe('the first version', () => {
  it('has three states and begins by thinking [LKJ1-02, LKJ1-07, LKJ1-11, LKJ1-16, LKJ1-17]', () => {
    expect(lkj1.states.map(({ name }) => name)).toEqual(['thinking', 'executing', 'paging']);
    expect(startMode(lkj1, 0).state).toBe('thinking');
    expect(resumeMode(lkj1, 'executing', 5)).toMatchObject({ mode: { state: 'executing' }, warning: null });
  });

  it('thinks for as long as it likes, and executes when it decides to [LKJ1-03, LKJ1-05, LKJ1-06, LKJ1-19, LKJ1-20, LKJ1-37, LKJ1-38]', () => {
    const long = walk(
      lkj1,
      Array.from({ length: 30 }, () => asksFor('thinking')),
    );
    expect([long.mode.state, long.moves, long.hops.every(({ ok }) => ok)]).toEqual(['thinking', [], true]);
    expect(take(lkj1, long.mode, asksFor('executing')).mode.state).toBe('executing');
  });

  it('thinks when it is not told what comes next [LKJ1-10, LKJ1-39]', () => {
    expect(take(lkj1, startMode(lkj1, 0), says)).toMatchObject({ ok: true, mode: { state: 'thinking' } });
    expect(take(lkj1, modeIn(lkj1, 'executing'), asksFor(null)).mode.state).toBe('thinking');
  });

  it('thinks again after an action [LKJ1-10, LKJ1-21, LKJ1-44]', () => {
    for (const action of ['working_memory_add', 'working_memory_remove', 'storage_load', 'storage_save']) {
      const { mode, moves } = walk(lkj1, [asksFor('executing'), picks(action), results(true)]);
      expect(mode.state).toBe('thinking');
      expect(moves.at(-1)).toMatchObject({ from: 'executing', to: 'thinking', cause: 'action' });
    }
  });

  it('makes room once each time, and thinks afterwards [LKJ1-12, LKJ1-13, LKJ1-15]', () => {
    const { moves } = walk(lkj1, [
      { type: 'paging-needed' },
      { type: 'paging-needed' },
      { type: 'paging-done' },
      { type: 'paging-done' },
    ]);
    expect(moves.map(({ to }) => to)).toEqual(['paging', 'thinking']);
  });

  it('tells the model to reason and decide while thinking, and describes the actions for executing [LKJ1-18, LKJ1-29..31]', () => {
    expect(stateNamed(lkj1, 'thinking')?.prompt).toMatch(/chain of reasoning.*thinking_log.*decide/s);
    const lines = stateNamed(lkj1, 'executing')?.prompt.split('\n') ?? [];
    expect(lines.slice(1).map((line) => line.replace(/: .+$/, ''))).toEqual([
      '- working_memory_add',
      '- working_memory_remove',
      '- storage_load',
      '- storage_save',
    ]);
  });

  it('tells the model in every state what it is: a librarian, with a small memory and endless storage [LKJ1-25]', () => {
    for (const { name } of lkj1.states) {
      const prompt = withModePrompt('', lkj1, modeIn(lkj1, name), { at: 0 });
      expect(prompt).toMatch(
        /librarian and a state machine: your working memory is small, your storage has no end/,
      );
      expect(prompt).toMatch(/give next_state and thinking_log/);
    }
  });

  it('can have other actions', () => {
    const other = lkj1Chart({ actions: ['paint', 'storage_load'] });
    expect(stateNamed(other, 'executing')?.prompt).toMatch(/\n- paint\n- storage_load: ./);
    expect(offeredTools(other, startMode(other, 0), ['paint', 'storage_save'])).toEqual(['paint']);
    const any = lkj1Chart({ actions: '*' });
    expect(offeredTools(any, startMode(any, 0), ['paint'])).toEqual(['paint']);
  });

  it('has exactly the four actions', () => {
    const actions = ['working_memory_add', 'working_memory_remove', 'storage_load', 'storage_save'];
    expect(offeredTools(lkj1, startMode(lkj1, 0), [...actions, 'storage', 'storage_search'])).toEqual(
      actions,
    );
  });
});

describe.each(versions)('both versions: $name', ({ chart, acting, afterAction, actionStates }) => {
  it.each(actionStates)(
    'go from %s to the state that follows an action, whatever next_state says [LKJ2-19, RL-13, RL-14]',
    (state) => {
      const reply = { ...asksFor(acting), tools: ['storage_load'] } as ReturnType<typeof asksFor>;
      const { mode, hops } = walk(chart, [reply, results(true)], modeIn(chart, state));
      expect(hops[0]).toMatchObject({ ok: true, moves: [], refused: [] });
      expect(mode.state).toBe(afterAction);
    },
  );

  it.each(actionStates)(
    'go from %s back to thinking when an action fails or is none, and say why [LKJ1-45, LKJ1-86, LKJ1-87]',
    (state) => {
      const failed = walk(chart, [picks('storage_load'), results(false)], modeIn(chart, state));
      const none = walk(chart, [picks('storage')], modeIn(chart, state));
      for (const { mode, hops } of [failed, none]) {
        expect(mode.state).toBe('thinking');
        expect(hops.at(-1)?.ok).toBe(false);
        expect(mode.history.at(-1)).toMatchObject({ from: state, to: 'thinking' });
        expect(mode.refusal).toBe(hops.at(-1)?.error);
      }
      expect(none.hops[0]).toMatchObject({ refused: ['storage'], error: 'there is no action "storage"' });
    },
  );

  it('think again after a reply that nobody can read [LKJ1-84]', () => {
    const { mode, ok, error } = take(chart, modeIn(chart, acting), {
      type: 'reply-failed',
      reason: 'no <agent>',
    });
    expect([mode.state, ok, error]).toEqual(['thinking', false, 'the reply could not be read: no <agent>']);
  });

  it('take one action at a time and turn down more [LKJ1-08, RX-09]', () => {
    const one = take(chart, modeIn(chart, acting), picks('storage_load'));
    expect(one).toMatchObject({ ok: true, refused: [] });
    const two = take(chart, modeIn(chart, acting), picks('storage_load', 'storage_save'));
    expect(two).toMatchObject({
      ok: false,
      error: 'one action at a time: the reply has 2',
      refused: ['storage_load', 'storage_save'],
      mode: { state: 'thinking' },
    });
  });

  it('let paging win over what is asked for, before the reply or after it [RL-17]', () => {
    const evaluating = modeIn(chart, afterAction);
    const paging = [{ type: 'paging-needed' }, { type: 'paging-done' }] as const;
    expect(walk(chart, [asksFor(acting), ...paging], evaluating).mode.state).toBe('thinking');
    const { mode, hops } = walk(chart, [paging[0], asksFor(acting), paging[1]], evaluating);
    expect(mode.state).toBe('thinking');
    expect(hops[1]).toMatchObject({ ok: false, moves: [], mode: { state: 'paging' } });
  });

  it('carry out no action while paging [RL-14]', () => {
    const paging = modeIn(chart, 'paging');
    expect(offeredTools(chart, paging, ['storage_load'])).toEqual([]);
    expect(take(chart, paging, picks('storage_load'))).toMatchObject({
      ok: false,
      refused: ['storage_load'],
    });
    expect(take(chart, paging, results(true)).mode.state).toBe('paging');
    expect(take(chart, paging, { type: 'reply-failed', reason: '' }).mode.state).toBe('paging');
  });

  it('never let the model choose paging, but know it as a state [RL-05, RL-07]', () => {
    expect(nextStates(chart, startMode(chart, 0))).not.toContain('paging');
    const wrong = take(chart, startMode(chart, 0), asksFor('paging'));
    expect(wrong).toMatchObject({ ok: false, mode: { state: 'thinking' } });
    expect(take(chart, startMode(chart, 0), moveTo('paging')).mode.state).toBe('paging');
    expect(resumeMode(chart, 'paging', 0)).toMatchObject({
      mode: { state: 'thinking' },
      warning: '"paging" is no state to go on in; reset to thinking',
    });
  });

  it('begin by thinking when a state was lost or is unknown, with a warning [LKJ1-67, LKJ1-81..83, RL-06]', () => {
    for (const kept of [undefined, null, 7, {}])
      expect(resumeMode(chart, kept, 0)).toMatchObject({
        mode: { state: 'thinking' },
        warning: 'no state was kept; reset to thinking',
      });
    expect(resumeMode(chart, 'dreaming', 0)).toMatchObject({
      mode: { state: 'thinking' },
      warning: '"dreaming" is no state to go on in; reset to thinking',
    });
    const { mode, ok, error } = take(chart, modeIn(chart, 'dreaming'), ticked);
    expect([mode.state, ok]).toEqual(['thinking', false]);
    expect(error).toBe(`"dreaming" is not a state of ${chart.name}; reset to thinking`);
  });

  it('trim what is asked for, and think of what does not exist as a wrong move on record [LKJ1-68, RL-07]', () => {
    expect(take(chart, startMode(chart, 0), asksFor(`  ${acting}\n`)).mode.state).toBe(acting);
    expect(take(chart, startMode(chart, 0), asksFor(acting.toUpperCase())).mode.state).toBe(acting);
    const { mode, moves, error } = take(chart, modeIn(chart, acting), asksFor(' dreaming '), 4);
    expect(mode.state).toBe('thinking');
    expect(error).toContain('there is no state "dreaming"');
    expect(moves).toEqual([{ at: 4, from: acting, to: 'thinking', cause: 'invalid', durationMs: 4 }]);
    expect(take(chart, startMode(chart, 0), asksFor('dreaming')).mode.history).toMatchObject([
      { from: 'thinking', to: 'thinking', cause: 'invalid' },
    ]);
  });

  it('know each other’s word for acting', () => {
    const other = acting === 'executing' ? 'commanding' : 'executing';
    expect(take(chart, startMode(chart, 0), asksFor(other)).mode.state).toBe(acting);
  });

  it('end a cycle without ending, and stop after a thousand [LKJ1-22, LKJ1-103, LKJ1-104, RL-10]', () => {
    const last = { ...startMode(chart, 0), iterations: 999 };
    const { mode, hops } = walk(chart, [ticked, asksFor('thinking'), ticked], last);
    expect(hops.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(hops[2]?.error).toBe('all 1000 iterations are used up');
    expect(mode.iterations).toBe(1_000);
    const endless = lkjChart({ maxIterations: null });
    expect(take(endless, { ...startMode(endless, 0), iterations: 1e6 }, ticked).ok).toBe(true);
  });

  it('write down each change of state with its time [LKJ1-105, LKJ1-106]', () => {
    const { mode } = take(chart, startMode(chart, 1_000), asksFor(acting), 1_250);
    expect(mode.state).toBe(acting);
    expect(mode.history).toEqual([
      { at: 1_250, from: 'thinking', to: acting, cause: 'next_state', durationMs: 250 },
    ]);
  });
});

describe.each(asked)('%s in %s', (version, state, ways) => {
  const chart = version === 'lkj' ? lkj : lkj1;
  const aliases = new Map([
    version === 'lkj' ? ['executing', 'commanding'] : ['commanding', 'executing'],
  ] as const);

  it.each(names)('is followed by what next_state %j may lead to, or by thinking [RL-07, RX-03]', (name) => {
    const to = new Map<string, string>(Object.entries(ways)).get(
      (aliases as ReadonlyMap<string, string>).get(name) ?? name,
    );
    const { ok, mode, error } = take(chart, modeIn(chart, state), asksFor(name));
    expect([ok, error === null, mode.state]).toEqual([to !== undefined, to !== undefined, to ?? 'thinking']);
  });
});
