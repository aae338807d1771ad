import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { miniSweAgentFormat } from '../../src/traces/mini-swe-agent.ts';
import { openhandsFormat } from '../../src/traces/openhands.ts';
import { sweAgentFormat } from '../../src/traces/swe-agent.ts';
import { tauFormat } from '../../src/traces/tau.ts';
import {
  omitCostAndTime,
  listCallOutcomes,
  listTraceProblems,
  parseSingleRun,
  readCallResults,
  readSteps,
} from './parse-single-run.ts';
import {
  miniSweAgentCallsSample,
  miniSweAgentSample,
  openhandsSample,
  sweAgentSample,
  tau2Sample,
  tauSample,
} from './benchmark-samples.ts';

describe('a trajectory of SWE-agent', () => {
  it('has one step for each turn, and says how it ended', () => {
    const run = parseSingleRun(sweAgentFormat, sweAgentSample);
    expect(run).toMatchObject({ id: 'name', exit: 'submitted (exit_cost)' });
    expect(omitCostAndTime(run.steps)).toEqual([
      {
        i: 0,
        role: 'assistant',
        text: 'I shall look.',
        tool: 'bash',
        args: { command: 'curl wttr.in/Ghent' },
        result: 'rain\n',
      },
      { i: 1, role: 'assistant', text: 'It rains.', result: 'Your command was empty.' },
    ]);
  });

  it('is read from the history where there are no turns, without the demonstration', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'open', arguments: '{"path":"a"}' } }];
    const history = [
      { role: 'system', content: 'You edit.', message_type: 'system_prompt' },
      { role: 'user', content: 'A demonstration', message_type: 'demonstration', is_demo: true },
      { role: 'user', content: 'Fix it.', message_type: 'observation_of_none' },
      {
        role: 'assistant',
        content: 'Look\n```\nls\n```',
        thought: 'Look',
        action: 'ls',
        message_type: 'action',
      },
      { role: 'user', content: 'a b', message_type: 'observation' },
      {
        role: 'assistant',
        content: 'Open',
        thought: 'Open',
        action: 'open a',
        tool_calls: calls,
        message_type: 'action',
      },
      {
        role: 'tool',
        content: [{ type: 'text', text: 'empty' }],
        tool_call_ids: ['c1'],
        message_type: 'observation',
      },
    ];
    expect(
      omitCostAndTime(parseSingleRun(sweAgentFormat, { history, trajectory: [], info: {} }).steps),
    ).toEqual([
      { i: 0, role: 'user', text: 'Fix it.' },
      { i: 1, role: 'assistant', text: 'Look', tool: 'bash', args: { command: 'ls' }, result: 'a b' },
      { i: 2, role: 'assistant', text: 'Open', tool: 'open', args: { path: 'a' }, result: 'empty' },
    ]);
  });

  it('shares the tokens of the run among its turns', () => {
    const trajectory = ['look', 'look again, and for longer'].map((thought) => ({ thought, action: 'ls' }));
    const stats = { tokens_sent: 301, tokens_received: 50 };
    const { steps } = parseSingleRun(sweAgentFormat, { trajectory, info: { model_stats: stats } });
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [17, 151],
      [33, 150],
    ]);
  });

  it('reports an invalid turn', () => {
    const trajectory = [{ action: 'ls', observation: 'a' }, 3];
    expect(listTraceProblems(sweAgentFormat, { trajectory })).toEqual([
      'trajectory[1]: expected a turn, got a number',
    ]);
  });
});

describe('a trajectory of mini-SWE-agent', () => {
  it('has its commands in the text, and their results in the next message', () => {
    const run = parseSingleRun(miniSweAgentFormat, miniSweAgentSample);
    expect(run).toMatchObject({ id: 'weather__ghent-1', model: 'model-a', exit: 'Submitted' });
    expect(readSteps(run.steps)).toMatchObject([
      {},
      { args: { command: 'curl wttr.in/Ghent' }, status: 'succeeded' },
      { args: { command: 'curl wttr.in/Gent' }, status: 'failed' },
      { error: true },
    ]);
    expect(run.steps.at(-1)?.result).toBe('Please always provide EXACTLY ONE action.');
  });

  it('of version 2 calls tools, and knows the exit code, the time and the cost', () => {
    const run = parseSingleRun(miniSweAgentFormat, miniSweAgentCallsSample);
    expect(readCallResults(run)).toEqual([['bash', 'rain', 'succeeded']]);
    expect(run.steps[1]).toMatchObject({ tokens: 40, inputTokens: 100, at: 1_772_359_200_500 });
  });

  it('does not treat an empty grep result as a failure', () => {
    const messages = [
      { role: 'assistant', content: '```bash\ngrep x a\n```' },
      { role: 'user', content: '<returncode>1</returncode>\n<output>\n</output>' },
      { role: 'assistant', content: '```mswea_bash_command\ngrep x b\n```' },
      {
        role: 'user',
        content: 'The last command <command>grep x b</command> timed out and has been killed.',
      },
    ];
    const run = parseSingleRun(miniSweAgentFormat, { messages, info: { exit_status: 'LimitsExceeded' } });
    expect(readSteps(run.steps)).toMatchObject([{ status: 'empty' }, { status: 'failed' }]);
  });

  it('holds responses and items where the model has that interface', () => {
    const output = [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look' }] },
      { type: 'function_call', call_id: 'c1', name: 'bash', arguments: '{"command":"ls"}' },
    ];
    const messages = [
      { role: 'user', content: 'Fix it.' },
      { object: 'response', output, usage: { input_tokens: 9, output_tokens: 4 } },
      { type: 'function_call_output', call_id: 'c1', output: 'a', extra: { returncode: 2, raw_output: 'a' } },
    ];
    const run = parseSingleRun(miniSweAgentFormat, { messages, trajectory_format: 'mini-swe-agent-1.1' });
    expect(run.steps[1]).toEqual({
      i: 1,
      role: 'assistant',
      text: 'I look',
      tool: 'bash',
      args: { command: 'ls' },
      result: 'a',
      exitCode: 2,
      tokens: 4,
      inputTokens: 9,
    });
  });

  it('is read in one pass, however many blocks are unclosed', () => {
    const content = '```bash\n'.repeat(200_000);
    const run = parseSingleRun(miniSweAgentFormat, {
      messages: [{ role: 'assistant', content }],
      info: { exit_status: 'x' },
    });
    expect(run.steps).toHaveLength(1);
  });
});

describe('events of OpenHands', () => {
  it('pair actions with their observations, and state whether the task was solved', () => {
    const run = parseSingleRun(openhandsFormat, openhandsSample);
    expect(run).toMatchObject({ id: 'weather__ghent-1', success: true });
    expect(readSteps(run.steps)).toEqual([
      { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
      {
        i: 1,
        role: 'assistant',
        text: 'I shall look.',
        tool: 'run',
        args: { command: 'curl wttr.in/Ghent' },
        result: 'rain',
        status: 'succeeded',
      },
      {
        i: 2,
        role: 'assistant',
        tool: 'execute_bash',
        args: { command: 'curl wttr.in/Gent' },
        result: 'no such city',
        status: 'failed',
      },
      { i: 3, role: 'assistant', text: 'It rains.' },
    ]);
  });

  it('come as pairs in old evaluations', () => {
    const history = [
      [
        { id: 1, source: 'agent', action: 'run', args: { command: 'ls' } },
        { id: 2, observation: 'run', cause: 1, content: 'a', extras: { exit_code: 0 } },
      ],
    ];
    expect(readCallResults(parseSingleRun(openhandsFormat, { history }))).toEqual([
      ['run', 'a', 'succeeded'],
    ]);
  });

  it('do not treat a running command as a failure', () => {
    const events = [
      { id: 1, source: 'agent', action: 'run', args: { command: 'sleep 99' } },
      {
        id: 2,
        observation: 'run',
        cause: 1,
        content: '',
        success: true,
        extras: { metadata: { exit_code: -1 } },
      },
    ];
    expect(listCallOutcomes(parseSingleRun(openhandsFormat, events))).toEqual([['run', '', false]]);
  });

  it('exclude user actions', () => {
    const events = [
      { id: 1, source: 'user', action: 'run', args: { command: 'ls' } },
      { id: 2, observation: 'run', cause: 1, content: 'a', extras: {} },
      { id: 3, source: 'agent', action: 'message', args: { content: 'done' } },
    ];
    expect(parseSingleRun(openhandsFormat, events).steps).toHaveLength(1);
  });

  it('report invalid events', () => {
    const events = [{ id: 1, source: 'agent', action: 'run', args: {} }, 4, { id: 5 }];
    expect(listTraceProblems(openhandsFormat, events)).toEqual([
      '[1]: expected an event, got a number',
      '[2]: an event that is neither an action nor an observation',
    ]);
  });
});

describe('results of tau-bench', () => {
  it('hold many runs, separated by task and trial', () => {
    const [run] = tau2Sample === null ? [] : tauFormat.parse(tau2Sample, 'results').runs;
    expect(run).toMatchObject({
      id: 'results/ghent/1',
      task: 'ghent',
      model: 'model-a',
      success: true,
      exit: 'user_stop',
    });
    expect(run?.steps[1]).toMatchObject({ tokens: 40, inputTokens: 100 });
  });

  it('of the first version mark no errors, which the text shows', () => {
    const run = parseSingleRun(tauFormat, tauSample);
    expect(run).toMatchObject({ id: 'name/7/0', success: false });
    expect(readCallResults(run)).toEqual([['weather', 'Error: no such city', 'failed']]);
  });

  it('may be one simulation in a file of its own', () => {
    const [simulation] = (Object(tau2Sample) as { simulations: readonly Json[] }).simulations;
    expect(simulation === undefined ? false : tauFormat.matches(simulation)).toBe(true);
    expect(parseSingleRun(tauFormat, simulation ?? null).id).toBe('name/ghent/1');
  });

  it('are read further after an invalid one', () => {
    const simulations = [
      { task_id: 'a' },
      null,
      ...(Object(tau2Sample) as { simulations: Json[] }).simulations,
    ];
    const { runs, problems } = tauFormat.parse({ simulations }, 'results');
    expect(runs).toHaveLength(1);
    expect(problems.map(({ location }) => location)).toEqual(['simulations[0]', 'simulations[1]']);
  });
});
