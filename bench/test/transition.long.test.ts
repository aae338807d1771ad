import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { assertAgreement, playSession } from '../contenders/agreement.ts';
import { turnContenders } from '../contenders/all.ts';
import { bareReducer } from '../contenders/bare-reducer.ts';
import { messagesPerTurn } from '../contenders/turn-events.ts';

const run = promisify(execFile);
const bench = fileURLToPath(new URL('../transition.ts', import.meta.url));
const turns = 7;

const names = [
  'bare reducer',
  'bare, linked list',
  'Pawl step',
  'robot3 service',
  'XState actor',
  'XState transition()',
];
const summary = { median: expect.any(Number), min: expect.any(Number), max: expect.any(Number) };

describe('contenders', () => {
  it('are the six compared contenders, the bare reducer first', () => {
    expect(turnContenders.map(({ name }) => name)).toEqual(names);
  });

  it.each(turnContenders)(
    '$name ends every turn waiting for the user, with five more messages',
    (contender) => {
      const snapshots = playSession(contender, turns);
      expect(snapshots.map(({ status }) => status)).toEqual(
        Array.from({ length: turns }, () => 'waitingForUser'),
      );
      expect(snapshots.map(({ messages }) => messages.length)).toEqual(
        Array.from({ length: turns }, (_, turn) => (turn + 1) * messagesPerTurn),
      );
    },
  );

  it.each(turnContenders)(
    '$name stores the same messages and requests the same actions as the others',
    (contender) => {
      expect(playSession(contender, turns)).toEqual(playSession(bareReducer, turns));
    },
  );

  it.each(turnContenders)('$name requests the model, the tools, the hooks and the model', (contender) => {
    expect(playSession(contender, 1)[0]?.actions).toEqual([
      'ask-model',
      'run-tools',
      'run-hooks',
      'ask-model',
    ]);
  });

  it('stop the benchmark if they disagree', () => {
    const forgetful = { ...bareReducer, name: 'forgetful', getMessages: () => [] };
    expect(() => assertAgreement([bareReducer, forgetful], turns)).toThrow(
      'Expected forgetful to end every turn like bare reducer, but it does not',
    );
  });
});

describe('node bench/transition.ts', () => {
  it('prints the documented shape with --quick --json', async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      environment: {
        node: process.version,
        v8: expect.any(String),
        cpu: expect.any(String),
        cores: expect.any(Number),
        load: expect.any(Number),
      },
      plan: { rounds: 3, warmUpRounds: 1, sliceMs: 10 },
      idleSessions: 5_000,
      speeds: names.map((name) => ({
        name,
        version: /XState|robot3/.test(name) ? expect.stringMatching(/^\d+\.\d+\.\d+$/) : null,
        times: summary,
        nsPerTurn: summary,
        eventsPerSecond: expect.any(Number),
        bytesFresh: expect.any(Number),
        bytesAfterOneTurn: expect.any(Number),
      })),
      overPawl: Object.fromEntries(names.map((name) => [name, summary])),
      warmedUp: summary,
      growth: ['bare reducer', 'Pawl step'].map((name) => ({
        name,
        early: 100,
        late: 10_000,
        times: summary,
      })),
      aims: [
        { aim: 'times the cost of the bare reducer', atMost: 3 },
        { aim: 'times as fast as XState actor', atLeast: 30 },
        { aim: 'times as fast as XState transition()', atLeast: 30 },
        { aim: 'times the cost of turn 100 at turn 10,000', atMost: 1.25 },
      ].map((aim) => ({ ...aim, measured: expect.any(Number), met: expect.any(Boolean) })),
    });
  });

  it('prints its usage with --help', async () => {
    const { stdout } = await run(process.execPath, [bench, '--help']);
    expect(stdout).toMatch(/^Usage: node bench\/transition\.ts \[--quick\] \[--json\]\n/);
  });

  it('exits with 2 and the usage for an unknown option', async () => {
    await expect(run(process.execPath, [bench, '--fast'])).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage: node bench/transition.ts'),
    });
  });
});
