import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { pawlSession } from '../../src/traces/pawl-session.ts';
import { outcomes, problemsIn, readOne } from './read.ts';
import { pawlLinesSample, pawlSample } from './samples-of-benchmarks.ts';

const replied = (request: number, ...ids: readonly string[]): object => ({
  event: {
    type: 'model-replied',
    request,
    text: '',
    calls: ids.map((id) => ({ id, tool: `${request}${id}`, args: {} })),
  },
});
const ended = (request: number, callId: string, outcome: object): object => ({
  event: { type: 'tool-finished', request, callId, outcome },
});

describe('a session that was exported', () => {
  it.each([
    ['as one document', pawlSample],
    ['as lines', pawlLinesSample],
  ])('is a run, %s', (_, document) => {
    const run = readOne(pawlSession, document);
    expect(run).toMatchObject({ id: 'run-1', source: 'pawl', model: 'some:model' });
    expect(run.steps).toMatchObject([
      { role: 'user', text: 'Is it raining in Ghent?', at: 1_772_359_200_000 },
      {
        tool: 'weather',
        args: { city: 'Ghent' },
        result: 'rain',
        error: false,
        tokens: 12,
        inputTokens: 100,
      },
      { role: 'assistant', text: 'It rains.' },
    ]);
  });

  it('is called as its file is, where it has no name of its own', () => {
    const events = [replied(1, 'a')];
    const { runs } = pawlSession.parse({ format: 'pawl-session', id: '', events } as Json, 'kept.json');
    expect(runs).toMatchObject([{ id: 'kept.json' }]);
  });

  it('pairs calls and results by request and id, whatever ids the model gave', () => {
    const refused = { ok: false, error: { kind: 'failed', message: 'no' } };
    const events = [
      replied(1, 'a', 'a', ''),
      ended(1, 'call_1_2', { ok: true, output: 3 }),
      ended(1, 'call_1_1', refused),
      ended(1, 'a', { ok: true, output: 1 }),
      replied(5, 'a'),
      ended(5, 'a', { ok: true, output: 5 }),
    ];
    expect(outcomes(readOne(pawlSession, { format: 'pawl-session', events } as Json))).toEqual([
      ['1a', 1, false],
      ['1a', 'no', true],
      ['1', 3, false],
      ['5a', 5, false],
    ]);
  });

  it('says what is no event, and that there is none', () => {
    const events = [3, { event: 'x' }, { event: { type: 'user-message', text: 'Hello' } }, { event: {} }];
    expect(problemsIn(pawlSession, { format: 'pawl-session', events })).toEqual([
      'events[0]: expected an event, got a number',
      'events[1]: expected an event, got an object',
    ]);
    expect(problemsIn(pawlSession, { format: 'pawl-session', id: 'a', events: [] })).toEqual([
      'no step in the run a',
    ]);
  });
});
