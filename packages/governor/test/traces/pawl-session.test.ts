import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { pawlSessionFormat } from '../../src/traces/pawl-session.ts';
import { listCallOutcomes, listTraceProblems, parseSingleRun } from './parse-single-run.ts';
import { pawlLinesSample, pawlSample } from './benchmark-samples.ts';

const createRepliedLine = (request: number, ...ids: readonly string[]): object => ({
  event: {
    type: 'model-replied',
    request,
    text: '',
    calls: ids.map((id) => ({ id, tool: `${request}${id}`, args: {} })),
  },
});
const createFinishedLine = (request: number, callId: string, outcome: object): object => ({
  event: { type: 'tool-finished', request, callId, outcome },
});

describe('a session that was exported', () => {
  it.each([
    ['as one document', pawlSample],
    ['as lines', pawlLinesSample],
  ])('is a run, %s', (_, document) => {
    const run = parseSingleRun(pawlSessionFormat, document);
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

  it('is named after its file if it has no name', () => {
    const events = [createRepliedLine(1, 'a')];
    const { runs } = pawlSessionFormat.parse({ format: 'pawl-session', id: '', events } as Json, 'kept.json');
    expect(runs).toMatchObject([{ id: 'kept.json' }]);
  });

  it('pairs calls and results by request and id, whatever ids the model gave', () => {
    const refused = { ok: false, error: { kind: 'failed', message: 'no' } };
    const events = [
      createRepliedLine(1, 'a', 'a', ''),
      createFinishedLine(1, 'call_1_2', { ok: true, output: 3 }),
      createFinishedLine(1, 'call_1_1', refused),
      createFinishedLine(1, 'a', { ok: true, output: 1 }),
      createRepliedLine(5, 'a'),
      createFinishedLine(5, 'a', { ok: true, output: 5 }),
    ];
    expect(
      listCallOutcomes(parseSingleRun(pawlSessionFormat, { format: 'pawl-session', events } as Json)),
    ).toEqual([
      ['1a', 1, false],
      ['1a', 'no', true],
      ['1', 3, false],
      ['5a', 5, false],
    ]);
  });

  it('reports invalid events, and an empty log', () => {
    const events = [3, { event: 'x' }, { event: { type: 'user-message', text: 'Hello' } }, { event: {} }];
    expect(listTraceProblems(pawlSessionFormat, { format: 'pawl-session', events })).toEqual([
      'events[0]: expected an event, got a number',
      'events[1]: expected an event, got an object',
    ]);
    expect(listTraceProblems(pawlSessionFormat, { format: 'pawl-session', id: 'a', events: [] })).toEqual([
      'no step in the run a',
    ]);
  });
});
