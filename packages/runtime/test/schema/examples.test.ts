import { eventTypes, isEphemeralEvent, getStepOutcome, type ActionType, type EventType } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { describe, expect, it } from 'vitest';
import { actionAnswerEvents } from '../../src/schema/actions.ts';
import { eventExamples } from '../../src/schema/events.ts';
import { iterateReachableSteps } from './reachable-steps.ts';

const examples = Object.values(eventExamples);

/** The states in which the machine took the example of each event, found by sending the examples in every order. */
function collectStatesByEvent(): ReadonlyMap<EventType, ReadonlySet<string>> {
  const found = new Map<EventType, Set<string>>(eventTypes.map((type) => [type, new Set()]));
  for (const { before, event, after } of iterateReachableSteps(examples, 7)) {
    if (getStepOutcome(after).ok) found.get(event.type)?.add(before.turn.status);
  }
  return found;
}

describe('the examples', () => {
  const states = collectStatesByEvent();

  it.each(eventTypes)('of %s is accepted in a state in which the chart accepts it', (type) => {
    const drawn = turnChart.states.filter(({ transitions }) => transitions.some(({ on }) => on === type));
    const names = drawn.map(({ name }) => name);
    expect([...(states.get(type) ?? [])].filter((name) => names.includes(name))).not.toEqual([]);
  });

  it('is accepted in no other state, except that a paused session accepts what its held state accepts', () => {
    const undrawn = eventTypes.flatMap((type) => {
      const drawn = turnChart.states.filter(({ transitions }) => transitions.some(({ on }) => on === type));
      const names = new Set([...drawn.map(({ name }) => name), 'paused']);
      return [...(states.get(type) ?? [])]
        .filter((name) => !names.has(name))
        .map((name) => `${type} in ${name}`);
    });
    expect(undrawn).toEqual([]);
  });
});

describe('the answers to actions', () => {
  it.each(Object.entries(actionAnswerEvents) as [ActionType, readonly EventType[]][])(
    'to %s are events that its state accepts and that carry its request',
    (action, answers) => {
      const states = turnChart.states.filter((state) => listEnteredStates(action).has(state.name));
      for (const type of answers) {
        expect(eventExamples[type]).toHaveProperty('request');
        expect(states.some(({ transitions }) => transitions.some(({ on }) => on === type))).toBe(true);
      }
    },
  );

  it('include every event that carries a request', () => {
    const answering = eventTypes.filter((type) => 'request' in eventExamples[type]);
    expect(new Set(Object.values(actionAnswerEvents).flat())).toEqual(new Set(answering));
  });

  it('are ephemeral only for display', () => {
    const ephemeral = examples.filter(isEphemeralEvent).map(({ type }) => type);
    expect(ephemeral).toEqual(['text-delta', 'call-delta', 'tool-progressed']);
  });
});

/** The states that are entered with an action. */
function listEnteredStates(action: string): ReadonlySet<string> {
  const moves = turnChart.states.flatMap((state) => state.transitions);
  return new Set(moves.filter(({ actions }) => actions.includes(action)).map(({ to }) => to));
}
