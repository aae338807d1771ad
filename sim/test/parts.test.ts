import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type ConversationMessage, appendItems, emptyConversation, toItemArray } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandomChoices, createScriptedChoices } from '../src/choices.ts';
import { findFirstDifference } from '../src/oracle/difference.ts';
import { findHistoryProblem } from '../src/oracle/history.ts';
import { createSimPlan } from '../src/plan.ts';
import { createRandomSource } from '../src/random.ts';
import { SimScheduler } from '../src/scheduler.ts';
import { runSimulation } from '../src/simulate.ts';
import { createDigestTrace } from '../src/trace.ts';

function drawNumbers(seed: number): readonly number[] {
  const random = createRandomSource(seed);
  return Array.from({ length: 8 }, () => random.next());
}

describe('the random source', () => {
  it('gives the same numbers for the same seed and others for another', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(drawNumbers(seed)).toEqual(drawNumbers(seed));
        expect(drawNumbers(seed)).not.toEqual(drawNumbers(seed + 1));
      }),
    );
  });

  it('draws every number below the limit and no other', () => {
    const random = createRandomSource(1);
    const drawn = new Set(Array.from({ length: 1_000 }, () => random.below(7)));
    expect(drawn).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
  });
});

describe('choices', () => {
  it('are recorded and replayed by name and number', () => {
    const drawn = createRandomChoices(3);
    const made = ['a', 'b', 'a', 'a'].map((name) => drawn.choose(name, (random) => random.below(3)));
    const replayed = createScriptedChoices(drawn.getScript());
    expect(['a', 'b', 'a', 'a'].map((name) => replayed.choose(name, () => 9))).toEqual(made);
  });

  it('that are not in the script have the default value', () => {
    const replayed = createScriptedChoices({ 'a#2': 5 });
    expect(['a', 'a', 'a'].map((name) => replayed.choose(name, () => 9))).toEqual([0, 5, 0]);
  });

  it('drawn from a seed and replayed from the script produce the same run', async () => {
    for (const seed of [3, 32, 77]) {
      const drawn = await runSimulation(createSimPlan(seed));
      const replayed = await runSimulation(createSimPlan(seed), {
        choices: createScriptedChoices(drawn.script),
      });
      expect(replayed.digest).toBe(drawn.digest);
    }
  });
});

describe('the scheduler', () => {
  it('runs every task once and not before it is due', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(50), { maxLength: 12 }),
        fc.boolean(),
        fc.nat(),
        async (delays, isWeighted, seed) => {
          const schedule = isWeighted
            ? ({ kind: 'weighted', seed } as const)
            : ({ kind: 'priorities', seed, changes: [1, 3] } as const);
          const scheduler = new SimScheduler(createRandomChoices(seed), schedule, createDigestTrace());
          const ran: number[] = [];
          for (const [index, inMs] of delays.entries()) {
            const run = (): void => {
              expect(scheduler.now).toBeGreaterThanOrEqual(inMs);
              ran.push(index);
            };
            scheduler.add({ owner: 'a', lane: `lane ${index % 3}`, name: 'it', inMs, run });
          }
          while ((await scheduler.step()) !== null);
          expect(ran.toSorted((a, b) => a - b)).toEqual([...delays.keys()]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('drops only the tasks of a process, and never runs a task without a due time', async () => {
    const scheduler = new SimScheduler(
      createScriptedChoices({}),
      { kind: 'weighted', seed: 1 },
      createDigestTrace(),
    );
    const ran: string[] = [];
    const add = (owner: string, inMs: number): void => {
      scheduler.add({ owner, lane: owner, name: owner, inMs, run: () => ran.push(owner) });
    };
    add('dead', 1);
    add('alive', 2);
    add('stalled', Infinity);
    scheduler.drop('dead');
    while ((await scheduler.step()) !== null);
    expect(ran).toEqual(['alive']);
    expect(scheduler.pending.size).toBe(1);
  });
});

const user = { role: 'user', at: 0, text: 'go' } as const;

function createCallsMessage(...ids: string[]): ConversationMessage {
  const named = ids.map((id) => ({ id, tool: 'read', args: {} }));
  return { role: 'assistant', at: 0, text: '', calls: named };
}

function createResultMessage(callId: string): ConversationMessage {
  return { role: 'tool', at: 0, callId, tool: 'read', outcome: { ok: true, output: null } };
}

describe('the history of a model request', () => {
  it.each([
    ['nothing', [], 'it starts with nothing'],
    ['an answer first', [createCallsMessage('a')], 'it starts with assistant'],
    [
      'a missing result',
      [user, createCallsMessage('a', 'b'), createResultMessage('a')],
      'the result of b is missing',
    ],
    [
      'a message before a result',
      [user, createCallsMessage('a'), user],
      'message 2 comes before the result of a',
    ],
    [
      'results out of order',
      [user, createCallsMessage('a', 'b'), createResultMessage('b')],
      'message 2 is the result of b, expected a',
    ],
    [
      'an extra result',
      [user, createCallsMessage('a'), createResultMessage('a'), createResultMessage('a')],
      'message 3 is the result of a, expected none',
    ],
    ['a duplicate id', [user, createCallsMessage('a', 'a')], 'message 1 has the same call id twice'],
    ['an empty reply', [user, createCallsMessage()], 'message 1 is empty'],
  ] as const)('is invalid with %s', (_, messages, problem) => {
    expect(findHistoryProblem(messages)).toBe(problem);
  });

  it('is valid with one result for each call, in order', () => {
    const messages = [
      user,
      createCallsMessage('a', 'b'),
      createResultMessage('a'),
      createResultMessage('b'),
      user,
    ];
    expect(
      findHistoryProblem(toItemArray(appendItems<ConversationMessage>(emptyConversation, messages))),
    ).toBeNull();
  });
});

describe('a comparison', () => {
  it('finds no difference between a value and its JSON round trip', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const other: unknown = JSON.parse(JSON.stringify(value));
        expect(findFirstDifference(JSON.parse(JSON.stringify(value)), other)).toBeNull();
      }),
    );
  });

  it.each([
    [{ a: [1, 2] }, { a: [1, 3] }, 'session.a.1 is 3, not 2'],
    [{ a: 1 }, {}, 'session.a is undefined, not 1'],
    [{}, { a: 1 }, 'session.a is unexpected'],
    [{ a: [] }, { a: {} }, 'session.a has another type'],
  ])('reports where %j and %j differ', (kept, other, difference) => {
    expect(findFirstDifference(kept, other)).toBe(difference);
  });
});

describe('the global traps', () => {
  it.each([
    'Date.now()',
    'new Date()',
    'Math.random()',
    'setTimeout(() => {}, 1)',
    'crypto.randomUUID()',
    'AbortSignal.timeout(1)',
    'performance.now()',
    "(await import('node:timers/promises')).setTimeout(1)",
    "(await import('node:crypto')).randomUUID()",
    "fetch('http://127.0.0.1')",
  ])('catch %s', (use) => {
    const traps = join(import.meta.dirname, '..', 'src', 'global-traps.ts');
    const code = `const { installGlobalTraps } = await import(${JSON.stringify(traps)});
      const traps = installGlobalTraps();
      new Date(0).toISOString();
      try { ${use}; } catch {}
      console.log(traps.takeUsed().length);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    expect(stdout.trim(), stderr).toBe('1');
  });
});
