import { isDeepStrictEqual } from 'node:util';
import { createSession, eventTypes, step, type Event, type SessionStep } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { findProfile, builtInProfiles } from '@pawl/core/profiles';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { actionSchemas } from '../../src/schema/actions.ts';
import { eventExamples } from '../../src/schema/events.ts';
import { noteSchemas } from '../../src/schema/notes.ts';
import { printAction, printState } from '../../src/schema/printed.ts';
import { stateSchema } from '../../src/schema/states.ts';
import { iterateReachableSteps, type ReachableStep } from './reachable-steps.ts';

/** The examples without their requests, so that they fit whatever is under way, and some that lead to other places. */
const events: readonly Event[] = [
  ...eventTypes.map((type) => omitRequest(eventExamples[type])),
  { type: 'model-replied', at: 5, text: 'Done.', calls: [] },
  { type: 'model-replied', at: 5, text: '', calls: [{ id: 'call_1', tool: 'edit', args: null }] },
  { type: 'model-failed', at: 5, error: { kind: 'context-overflow', message: 'No room.' } },
  { type: 'model-failed', at: 5, error: { kind: 'auth', message: 'No key.', retryable: false } },
  { type: 'permission-decided', at: 5, callId: 'call_1', decision: 'allow' },
  { type: 'phase-started', at: 5, number: 2, description: 'Clean up' },
];

function omitRequest(event: Event): Event {
  return Object.fromEntries(Object.entries(event).filter(([key]) => key !== 'request')) as Event;
}

/** What the schemas do not say about what is printed after a step. */
function findSchemaMismatches({ session, actions, notes }: SessionStep): readonly unknown[] {
  const printed = actions.map((action) => printAction(action, session, 0));
  const tables: Readonly<Record<string, z.ZodType>>[] = [actionSchemas, noteSchemas];
  const typed = [printed, notes].flatMap((values, table) =>
    values.map((value) => [value, tables[table]?.[value.type]] as const),
  );
  return [[printState(session), stateSchema] as const, ...typed]
    .filter(([value, schema]) => {
      const read: unknown = JSON.parse(JSON.stringify(value));
      return !isDeepStrictEqual(schema?.safeParse(read).data, read);
    })
    .map(([value]) => value);
}

function* iterateSteps(all: Iterable<ReachableStep>): Generator<SessionStep> {
  for (const { after } of all) yield after;
}

/** What only a profile with modes and a working memory does. */
function* iterateMemorySteps(): Generator<SessionStep> {
  const settings = findProfile('lkj')?.settings ?? {};
  const [call] = [
    { id: 'c', tool: 'working_memory_add', args: { tags: 'long', value: 'word '.repeat(5_000) } },
  ];
  let session = createSession({ id: 'm', at: 0, settings });
  for (const event of [
    { type: 'user-message', at: 1, text: 'go' },
    { type: 'model-replied', at: 2, text: '', calls: [call], logs: { think: 'I keep it.' } },
    { type: 'tool-finished', at: 3, callId: 'c', outcome: { ok: true, output: 'kept' } },
    { type: 'model-replied', at: 4, text: '', calls: [], nextState: 'thinking' },
    { type: 'paging-finished', at: 5, freedTokens: 6_000, heldTokens: 6_200 },
  ] satisfies readonly Event[]) {
    const after = step(session, event);
    yield after;
    session = after.session;
  }
}

describe('the external form', () => {
  it('matches its schema in every state and for every action and note', () => {
    const kinds = { states: new Set<string>(), actions: new Set<string>(), notes: new Set<string>() };
    const wrong: unknown[] = [];
    for (const after of [...iterateSteps(iterateReachableSteps(events, 5)), ...iterateMemorySteps()]) {
      wrong.push(...findSchemaMismatches(after));
      const { session, actions, notes } = after;
      kinds.states.add(session.turn.status);
      for (const { type } of actions) kinds.actions.add(type);
      for (const { type } of notes) kinds.notes.add(type);
    }
    expect(wrong).toEqual([]);
    const lasting = turnChart.states.filter(({ kind }) => kind !== 'passing').map(({ name }) => name);
    expect(kinds.states).toEqual(new Set(lasting));
    expect(kinds.actions).toEqual(new Set(Object.keys(actionSchemas)));
    expect(kinds.notes).toEqual(new Set(Object.keys(noteSchemas)));
  });

  it('matches its schema on long random walks of every profile', () => {
    const walks = fc.array(fc.constantFrom(...events), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(fc.constantFrom(...builtInProfiles), walks, ({ name, settings }, walk) => {
        let session = createSession({ id: 'walk', at: 0, profile: name, settings });
        for (const event of walk) {
          const after = step(session, event);
          expect(findSchemaMismatches(after)).toEqual([]);
          session = after.session;
        }
      }),
      { numRuns: 50 },
    );
  });

  it('counts the messages in a state, lists them in an action, and contains the tree in neither', () => {
    const [ask, ...others] = step(createSession({ id: 'a', at: 0 }), eventExamples['user-message']).actions;
    const { session } = step(createSession({ id: 'a', at: 0 }), eventExamples['user-message']);
    const { at, text } = eventExamples['user-message'];
    expect(others).toEqual([]);
    expect(ask === undefined ? undefined : printAction(ask, session, at)).toEqual({
      type: 'ask-model',
      request: 1,
      attempt: 1,
      tools: true,
      advice: null,
      deadline: null,
      section: null,
      messages: [{ role: 'user', at, text }],
    });
    expect(printState(session)).toMatchObject({ status: 'callingModel', messages: 1, seq: 1 });
    const paused = step(session, eventExamples['pause-requested']).session;
    expect(JSON.stringify([printState(session), printState(paused)])).not.toContain('conversation');
  });
});
