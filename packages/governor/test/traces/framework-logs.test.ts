import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { autogenFormat } from '../../src/traces/autogen.ts';
import { inspectAiFormat } from '../../src/traces/inspect-ai.ts';
import { moatlessFormat } from '../../src/traces/moatless.ts';
import { openInferenceFormat } from '../../src/traces/openinference.ts';
import { otlpFormat } from '../../src/traces/otlp.ts';
import {
  autogenSample,
  inspectAiSample,
  moatlessSample,
  openInferenceSample,
  openInferenceTreeSample,
} from './framework-samples.ts';
import { listCallOutcomes, listTraceProblems, parseSingleRun } from './parse-single-run.ts';

type Fields = { readonly [name: string]: Json };

function sumCounts(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function createMoatlessNode(id: number, children: readonly Json[] = []): Json {
  const steps = [{ action: { name: `step ${id}` }, observation: { message: 'x' } }];
  return { node_id: id, action_steps: steps, children };
}

describe('a log of Inspect', () => {
  const [sample = {}] = (inspectAiSample as { readonly samples: readonly Fields[] }).samples;

  it('has each sample as a run, with its score', () => {
    const lost = {
      ...sample,
      id: 8,
      scores: { match: { value: 'I' } },
      limit: { type: 'message', limit: 6 },
    };
    const { runs } = inspectAiFormat.parse(
      { ...(inspectAiSample as Fields), samples: [sample, lost] },
      'name',
    );
    expect(runs).toMatchObject([
      { id: 'weather/7/1', model: 'model-a', success: true },
      { id: 'weather/8/1', model: 'model-a', success: false, exit: 'message' },
    ]);
  });

  it('counts the tokens of the requests, with cached input', () => {
    const { steps } = parseSingleRun(inspectAiFormat, inspectAiSample);
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [40, 120],
      [0, undefined],
      [2, undefined],
    ]);
    expect(steps[1]?.at).toBe(1_772_359_200_000);
  });

  it('without events shares the usage of the sample', () => {
    const { steps } = parseSingleRun(inspectAiFormat, { ...sample, events: [] });
    expect(sumCounts(steps.map(({ tokens }) => tokens))).toBe(60);
    expect(sumCounts(steps.map(({ inputTokens }) => inputTokens))).toBe(300);
  });

  it('is read from a sample of an archive too', () => {
    expect(inspectAiFormat.matches(sample)).toBe(true);
    expect(parseSingleRun(inspectAiFormat, sample).id).toBe('name/7/1');
  });

  it('reports what is no message', () => {
    const messages = [{ role: 'user', content: 'a' }, 3, { role: 'else' }];
    expect(listTraceProblems(inspectAiFormat, { eval: {}, samples: [{ id: 1, messages }] })).toEqual([
      'samples[0].messages[1]: expected a message, got a number',
      'samples[0].messages[2]: a message of an unknown role',
    ]);
  });
});

describe('a trajectory of moatless', () => {
  it('has the tools by their names, and the usage of each node', () => {
    const run = parseSingleRun(moatlessFormat, moatlessSample);
    expect(run.id).toBe('weather__ghent-1');
    expect(run.steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [40, 100],
      [0, undefined],
      [2, undefined],
    ]);
  });

  it('has the actions of older versions, and the class as the name', () => {
    const node = {
      node_id: 1,
      action: {
        thoughts: 'I look.',
        file: 'a',
        action_args_class: 'moatless.actions.view_code.ViewCodeArgs',
      },
      observation: { message: 'not found', properties: { fail_reason: 'file_not_found' } },
      children: [],
    };
    const edit = { node_id: 2, action: { action_args_class: 'moatless.actions.edit.EditActionArguments' } };
    expect(parseSingleRun(moatlessFormat, { nodes: [node, edit] }).steps).toMatchObject([
      { text: 'I look.', tool: 'ViewCode', args: { file: 'a' }, result: 'not found', error: true },
      { tool: 'Edit', args: {} },
    ]);
  });

  it('has each branch of a search as a run, and nothing twice', () => {
    const root = createMoatlessNode(0, [
      createMoatlessNode(1, [createMoatlessNode(2), createMoatlessNode(3)]),
      createMoatlessNode(4, [createMoatlessNode(5)]),
    ]);
    const { runs } = moatlessFormat.parse({ root }, 'name');
    expect(runs.map(({ id, steps }) => [id, steps.map(({ tool }) => tool)])).toEqual([
      ['name', ['step 0', 'step 1', 'step 2']],
      ['name/3', ['step 3']],
      ['name/4', ['step 4', 'step 5']],
    ]);
  });

  it('may be deeper than a stack', () => {
    const depth = 20_000;
    const deep = JSON.parse(
      `${'{"node_id":1,"action":{"name":"a"},"observation":{"message":"b"},"children":['.repeat(depth)}${']}'.repeat(depth)}`,
    ) as Json;
    expect(parseSingleRun(moatlessFormat, { root: deep }).steps).toHaveLength(depth);
  });

  it('reports what is no node', () => {
    expect(
      listTraceProblems(moatlessFormat, { root: { node_id: 0, message: 'Fix it.', children: [3] } }),
    ).toEqual(['root.children[0]: expected a node, got a number']);
  });
});

describe('messages of AutoGen', () => {
  it('have their usage, and why they ended', () => {
    const run = parseSingleRun(autogenFormat, autogenSample);
    expect(run.exit).toBe('Maximum number of messages 6 reached');
    expect(run.steps.map(({ inputTokens }) => inputTokens)).toContain(100);
  });

  it('may be executions of code', () => {
    const messages = [
      { type: 'TextMessage', source: 'user', content: 'Compute it.' },
      { type: 'CodeExecutionEvent', source: 'coder', result: { exit_code: 1, output: 'Traceback' } },
      { type: 'ToolCallSummaryMessage', source: 'coder', content: 'a summary' },
    ];
    expect(parseSingleRun(autogenFormat, messages).steps).toMatchObject([
      { role: 'user' },
      { tool: 'execute_code', result: 'Traceback', exitCode: 1 },
    ]);
  });

  it('with empty ids are paired by the name of the tool', () => {
    const messages = [
      { type: 'ToolCallRequestEvent', source: 'a', content: [{ id: '', name: 'f', arguments: '{}' }] },
      { type: 'ToolCallExecutionEvent', source: 'a', content: [{ call_id: '', name: 'f', content: 'x' }] },
    ];
    expect(listCallOutcomes(parseSingleRun(autogenFormat, messages))).toEqual([['f', 'x', undefined]]);
  });

  it('are no messages of other frameworks', () => {
    expect(autogenFormat.matches([{ type: 'human', content: 'a' }])).toBe(false);
    expect(autogenFormat.matches([{ role: 'user', content: 'a', source: 'input' }])).toBe(false);
  });

  it('are reported if they are none', () => {
    const messages = [{ type: 'TextMessage', source: 'user', content: 'a' }, 3];
    expect(listTraceProblems(autogenFormat, { messages })).toEqual([
      'messages[1]: expected a message, got a number',
    ]);
    const chat = { chat_history: [{ role: 'user', content: 'a' }, 3] };
    expect(listTraceProblems(autogenFormat, chat)).toEqual([
      'chat_history[1]: expected a message, got a number',
    ]);
  });
});

describe('spans of OpenInference', () => {
  it.each([
    ['nested', openInferenceSample],
    ['dotted', openInferenceTreeSample],
  ])('have the usage and the model (%s)', (_name, document) => {
    const run = parseSingleRun(openInferenceFormat, document);
    expect(run).toMatchObject({ id: 'trace-1', source: 'openinference', model: 'model-a' });
    expect(run.steps.slice(1, 3).map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [40, 100],
      [0, undefined],
    ]);
  });

  it('may come as OTLP', () => {
    const attributes = Object.entries({
      'openinference.span.kind': 'TOOL',
      'input.value': '{"city":"Gent"}',
      'output.value': 'no such city',
    }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const span = { traceId: 't', name: 'weather', status: { code: 2 }, attributes };
    const document = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    expect(listCallOutcomes(parseSingleRun(otlpFormat, document))).toEqual([
      ['weather', 'no such city', true],
    ]);
  });

  it('may come as the rows of a table', () => {
    const row = {
      name: 'weather',
      'context.trace_id': 't',
      status_code: 'OK',
      'attributes.openinference.span.kind': 'TOOL',
      'attributes.input.value': '{"city":"Ghent"}',
      'attributes.output.value': 'rain',
    };
    expect(parseSingleRun(openInferenceFormat, [row])).toMatchObject({
      id: 't',
      steps: [{ tool: 'weather', args: { city: 'Ghent' }, result: 'rain' }],
    });
  });

  it('without a model or a tool are no run', () => {
    const span = { attributes: { 'openinference.span.kind': 'CHAIN' } };
    expect(openInferenceFormat.matches([span])).toBe(true);
    expect(listTraceProblems(openInferenceFormat, [span])).toEqual(['no span with gen_ai attributes']);
  });
});
