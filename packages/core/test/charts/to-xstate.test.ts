import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createActor, createMachine, getNextSnapshot } from 'xstate';
import type { Chart } from '../../src/charts/chart.ts';
import { toXState, type XStateConfig } from '../../src/charts/to-xstate.ts';
import { turnChart } from '../../src/turn/states/turn-chart.ts';
import { anyChart, hostileChart, createTestMove, createTestState } from './sample-charts.ts';

const doorChart: Chart = {
  name: 'door',
  initial: 'shut',
  states: [
    createTestState(
      'shut',
      'waiting',
      { on: 'push', guard: 'not locked', to: 'moving', actions: ['creak'] },
      createTestMove('break', 'broken'),
    ),
    createTestState(
      'moving',
      'passing',
      createTestMove(null, 'open', 'hinges are oiled'),
      createTestMove(null, 'shut'),
    ),
    createTestState('open', 'waiting', createTestMove('pull', 'shut')),
    createTestState('broken', 'terminal'),
  ],
};

/** Every transition of a config, with the state it leaves; guards are taken away, so that each can be made. */
function listTransitions({ states }: XStateConfig) {
  return Object.entries(states).flatMap(([from, { on = {} }]) =>
    Object.entries(on).flatMap(([event, transitions]) =>
      transitions.map(({ target }) => ({ from, event, target })),
    ),
  );
}

/** The name a target stands for: what follows a backslash is meant as it is. */
function unescapeTarget(target: string): string {
  return target.replaceAll(/\\(.)/gsu, '$1');
}

/** XState finds each target where the config puts it. */
function expectTargetsFound(chart: Chart): void {
  const config = toXState(chart);
  createMachine(config);
  for (const { from, event, target } of listTransitions(config)) {
    const states = Object.fromEntries(Object.keys(config.states).map((name) => [name, {}]));
    const only = createMachine({
      initial: from,
      states: { ...states, [from]: { on: { [event]: { target } } } },
    });
    const after = getNextSnapshot(only, only.resolveState({ value: from }), { type: event });
    expect(after.value).toBe(unescapeTarget(target));
  }
}

describe('the XState config of a chart', () => {
  it('is plain JSON', () => {
    const config = toXState(turnChart);
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
  });

  it('is loaded by XState with every state, event, guard and action of the turn chart', () => {
    const machine = createMachine(toXState(turnChart));
    expect(Object.keys(machine.states)).toEqual(turnChart.states.map((each) => each.name));
    for (const { name, transitions } of turnChart.states) {
      const node = machine.states[name];
      const created = [...(node?.always ?? []), ...[...(node?.transitions.values() ?? [])].flat()];
      const loaded = created.map(({ eventType, guard, target, actions }) => ({
        on: eventType === '' ? null : eventType,
        guard: guard ?? null,
        to: target?.[0]?.key,
        actions,
      }));
      expect(loaded).toEqual(transitions);
    }
  });

  it('starts in the initial state of the chart', () => {
    expect(createActor(createMachine(toXState(turnChart))).getSnapshot().value).toBe('waitingForUser');
  });

  it('runs with guards and actions provided by name', () => {
    const observed: string[] = [];
    const machine = createMachine(toXState(doorChart)).provide({
      guards: { 'not locked': () => true, 'hinges are oiled': () => true },
      actions: { creak: () => void observed.push('creak') },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'push' });
    expect(actor.getSnapshot().value).toBe('open');
    expect(observed).toEqual(['creak']);
  });

  it('passes through a transient state at once', () => {
    expect(toXState(doorChart).states['moving']).toEqual({
      description: 'moving',
      always: [{ target: 'open', guard: 'hinges are oiled' }, { target: 'shut' }],
    });
  });

  it('is done in a terminal state without transitions, and not in one with transitions', () => {
    const machine = createMachine(toXState(doorChart));
    expect(getNextSnapshot(machine, machine.resolveState({ value: 'shut' }), { type: 'break' }).status).toBe(
      'done',
    );
    expect(toXState(turnChart).states['halted']?.type).toBeUndefined();
  });

  it('preserves names that have a special meaning in XState', () => {
    const chart: Chart = {
      name: '',
      initial: '',
      states: [
        createTestState('', 'waiting', createTestMove('', '__proto__'), createTestMove('*', 'a.b')),
        createTestState('__proto__', 'waiting', createTestMove('()', '#a')),
        createTestState('a.b', 'waiting', createTestMove('any.*', '()')),
        createTestState('#a', 'waiting'),
        createTestState('()', 'waiting'),
      ],
    };
    expectTargetsFound(chart);
    expect(toXState(chart).initial).toBe('(())');
    expect(toXState(chart).states['(())']?.on).toEqual({
      '(())': [{ target: '(__proto__)' }],
      '(*)': [{ target: 'a\\.b' }],
    });
  });

  it('loads with hostile names, and each transition leads to its target', () => {
    expectTargetsFound(hostileChart);
  });

  it('loads for any chart', () => {
    fc.assert(fc.property(anyChart, expectTargetsFound));
  });
});
