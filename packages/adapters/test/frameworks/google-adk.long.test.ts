import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  alternateCommands,
  exampleTools,
  readSameFile,
  type AgentScript,
} from '../../../../examples/adapters/scripts.ts';
import { createAgentCallbacks, type AdkContent, type AdkRequest } from '../../src/google-adk.ts';
import { countMatches, governorNotePattern, ignoringScript, insistentScript } from '../agent-scripts.ts';
import { compileDocsExample } from './compile-docs-example.ts';
import { productiveSteps } from './framework-scripts.ts';
import { installFramework, selectVersion } from './install-framework.ts';

const version = selectVersion('1.0.0', '^2.0.0');
const framework = installFramework(`google-adk-${version}`, { '@google/adk': version });

type AdkEvent = { readonly author?: string; readonly partial?: boolean; readonly content?: AdkContent };
type AdkAgent = { readonly name: string };
type AdkModule = {
  readonly BaseLlm: new (options: { readonly model: string }) => object;
  readonly LlmAgent: new (config: object) => AdkAgent;
  readonly AgentTool: new (config: { readonly agent: AdkAgent }) => object;
  readonly FunctionTool: new (config: object) => object;
  readonly InMemoryRunner: new (config: { readonly agent: AdkAgent; readonly appName: string }) => {
    readonly sessionService: { createSession(key: object): Promise<{ readonly id: string }> };
    runAsync(request: object): AsyncIterable<AdkEvent>;
  };
  readonly StreamingMode: { readonly SSE: string };
};

const createUserContent = (text: string): AdkContent => ({ role: 'user', parts: [{ text }] });

function createModelClass({ BaseLlm }: AdkModule) {
  return class extends BaseLlm {
    readonly requests: AdkRequest[] = [];
    readonly #script: AgentScript;

    constructor(script: AgentScript) {
      super({ model: 'scripted' });
      this.#script = script;
    }

    async *generateContentAsync(request: AdkRequest, stream = false) {
      const { contents, config = {} } = request;
      this.requests.push(structuredClone({ contents, config, toolsDict: {} }));
      const tools = (request.config?.tools ?? []) as readonly unknown[];
      const move = this.#script(this.requests.length - 1, tools.length > 0);
      const parts =
        'text' in move
          ? [{ text: move.text }]
          : move.calls.map(({ tool, args }) => ({ functionCall: { name: tool, args } }));
      if (stream) yield { partial: true, content: { role: 'model', parts: [{ text: ' ' }] } };
      yield { content: { role: 'model', parts } };
    }
  };
}

async function createTestAgent(script: AgentScript, isGoverned = true) {
  const adk = await framework.load<AdkModule>('@google/adk');
  const Model = createModelClass(adk);
  const model = new Model(script);
  const runs = { count: 0 };
  const tools = [
    new adk.FunctionTool({
      name: 'read',
      description: 'Reads a file',
      parameters: z.object({ path: z.string() }),
      execute: ({ path }: { path: string }) =>
        exampleTools.read(path) + (path.startsWith('file-') ? path : ''),
    }),
    new adk.FunctionTool({
      name: 'run',
      description: 'Runs a command',
      parameters: z.object({ command: z.string() }),
      execute: ({ command }: { command: string }) => {
        runs.count += 1;
        return exampleTools.run(command);
      },
    }),
  ];
  const callbacks = isGoverned ? createAgentCallbacks() : {};
  const agent = new adk.LlmAgent({ name: 'assistant', description: 'Helps', model, tools, ...callbacks });
  return { adk, Model, model, runs, agent };
}

async function runAgent(adk: AdkModule, agent: AdkAgent, runConfig: object = {}) {
  const runner = new adk.InMemoryRunner({ agent, appName: 'test' });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: 'test', userId: 'user' });
  const newMessage = createUserContent('When do we ship?');
  const events: AdkEvent[] = [];
  for await (const event of runner.runAsync({
    userId: 'user',
    sessionId,
    newMessage,
    runConfig: { maxLlmCalls: 20, ...runConfig },
  }))
    if (event.partial !== true) events.push(event);
  return { events, text: events.at(-1)?.content?.parts?.[0]?.text };
}

/** Asks the sub-agent, and repeats its answer. */
const delegateScript: AgentScript = (asked) =>
  asked === 0
    ? { calls: [{ tool: 'assistant' as 'read', args: { request: 'When do we ship?' } }] }
    : { text: 'The sub-agent says Friday.' };

describe(`Google ADK ${version}`, () => {
  beforeEach(({ skip }) => skip(framework.problem !== null, framework.problem ?? ''));

  it('compiles the example of the documentation', () => {
    expect(compileDocsExample(framework, '@pawl/adapters/google-adk')).toBe('');
  });

  it('loops until its limit without the governor', async () => {
    const { adk, agent, model } = await createTestAgent(readSameFile, false);
    await runAgent(adk, agent).catch(() => undefined);
    expect(model.requests.length).toBe(20);
  });

  it.each([
    ['sameFile', readSameFile, 5, {}],
    ['backAndForth', alternateCommands, 7, {}],
    ['sameFile in a stream', readSameFile, 5, { streamingMode: 'sse' }],
  ])('ends %s with an answer', async (_, script, steps, runConfig) => {
    const { adk, agent, model } = await createTestAgent(script);
    const { text, events } = await runAgent(adk, agent, runConfig);
    expect(model.requests.length).toBe(steps);
    expect(script(steps - 1, false)).toEqual({ text });
    expect(JSON.stringify(events)).not.toMatch(governorNotePattern);
  });

  it('adds advice to one request only', async () => {
    const { adk, agent, model } = await createTestAgent(alternateCommands);
    await runAgent(adk, agent);
    const sent = model.requests.map(({ contents }) => JSON.stringify(contents));
    expect(sent.map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 0, 0, 1, 1]);
  });

  it('answers a blocked call with the reason and does not run it', async () => {
    const { adk, agent, model, runs } = await createTestAgent(insistentScript);
    const { text } = await runAgent(adk, agent);
    expect(model.requests.length).toBeLessThanOrEqual(8);
    expect([runs.count, text]).toEqual([3, 'It cannot be made.']);
  });

  it('supplies the final answer for a model that calls tools it was not offered', async () => {
    const { adk, agent, model } = await createTestAgent(ignoringScript);
    const { text } = await runAgent(adk, agent);
    expect(model.requests.length).toBe(5);
    expect(text).toMatch(/^The work was stopped: read was called 4 times/);
  });

  it('does not change twelve productive steps', async () => {
    const governed = await createTestAgent(productiveSteps);
    const alone = await createTestAgent(productiveSteps, false);
    const { text } = await runAgent(governed.adk, governed.agent);
    await runAgent(alone.adk, alone.agent);
    expect(text).toBe('All read.');
    expect(governed.model.requests).toEqual(alone.model.requests);
  });

  it('ends the loop of a sub-agent but not its parent', async () => {
    const { adk, Model, agent, model: child } = await createTestAgent(readSameFile);
    const model = new Model(delegateScript);
    const parent = new adk.LlmAgent({
      name: 'parent',
      model,
      tools: [new adk.AgentTool({ agent })],
      ...createAgentCallbacks(),
    });
    const { text } = await runAgent(adk, parent);
    expect([child.requests.length, model.requests.length]).toEqual([5, 2]);
    expect(JSON.stringify(model.requests.at(-1)?.contents)).toContain('It says: ship on Friday.');
    expect(text).toBe('The sub-agent says Friday.');
  });
});
