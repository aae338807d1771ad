import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  alternateCommands,
  exampleTools,
  readSameFile,
  type AgentScript,
} from '../../../../examples/adapters/scripts.ts';
import { governAgentOptions } from '../../src/voltagent.ts';
import { earlierAiSdks } from '../ai-sdk-versions.ts';
import { countMatches, governorNotePattern, ignoringScript, insistentScript } from '../agent-scripts.ts';
import { compileDocsExample } from './compile-docs-example.ts';
import { productiveSteps } from './framework-scripts.ts';
import { installFramework, selectVersion } from './install-framework.ts';

const version = selectVersion('2.7.3', '^2.10.0');
const framework = installFramework(`voltagent-${version}`, {
  '@voltagent/core': version,
  ai: '^6.0.326',
  zod: '^4.6.7',
});

type VoltAgentResult = { readonly text: string };
type VoltAgentInstance = {
  generateText(prompt: string, options?: object): Promise<VoltAgentResult>;
  streamText(prompt: string, options?: object): Promise<{ readonly text: Promise<string> }>;
};
type VoltAgentModule = {
  readonly Agent: new (options: object) => VoltAgentInstance;
  readonly createTool: (options: object) => object;
};

const sdk = earlierAiSdks[1];
const question = 'When do we ship?';

async function createTestAgent(script: AgentScript, isGoverned = true) {
  const volt = await framework.load<VoltAgentModule>('@voltagent/core');
  const { model, requests } = sdk.createModel(script);
  const runs = { count: 0 };
  const tools = [
    volt.createTool({
      name: 'read',
      description: 'Reads a file',
      parameters: z.object({ path: z.string() }),
      execute: async ({ path }: { path: string }) =>
        exampleTools.read(path) + (path.startsWith('file-') ? path : ''),
    }),
    volt.createTool({
      name: 'run',
      description: 'Runs a command',
      parameters: z.object({ command: z.string() }),
      execute: async ({ command }: { command: string }) => {
        runs.count += 1;
        return exampleTools.run(command);
      },
    }),
  ];
  const options = { name: 'assistant', instructions: 'Be brief.', model, tools, maxSteps: 20 };
  const agent = new volt.Agent(isGoverned ? governAgentOptions(options) : options);
  const listSent = () =>
    [...requests.doGenerateCalls, ...requests.doStreamCalls].map(({ prompt, tools: offered }) =>
      JSON.stringify([prompt, offered]),
    );
  return { volt, agent, runs, listSent };
}

/** Asks the sub-agent, and repeats its answer. */
const delegateScript: AgentScript = (asked) =>
  asked === 0
    ? {
        calls: [
          {
            tool: 'delegate_task' as 'read',
            args: { task: question, targetAgents: ['assistant'] } as object as Record<string, string>,
          },
        ],
      }
    : { text: 'The sub-agent says Friday.' };

describe(`VoltAgent ${version}`, () => {
  beforeEach(({ skip }) => skip(framework.problem !== null, framework.problem ?? ''));

  it('compiles the example of the documentation', () => {
    expect(compileDocsExample(framework, '@pawl/adapters/voltagent')).toBe('');
  });

  it('loops until its limit without the governor', async () => {
    const { agent, listSent } = await createTestAgent(readSameFile, false);
    const { text } = await agent.generateText(question);
    expect([listSent().length, text]).toEqual([20, '']);
  });

  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 8],
  ])('ends %s with an answer', async (_, script, limit) => {
    const { agent, listSent } = await createTestAgent(script);
    const { text } = await agent.generateText(question);
    expect(listSent().length).toBeLessThanOrEqual(limit);
    expect(script(listSent().length - 1, false)).toEqual({ text });
  });

  it('streams', async () => {
    const { agent, listSent } = await createTestAgent(readSameFile);
    const { text } = await agent.streamText(question);
    expect(await text).toContain('ship on Friday');
    expect(listSent().length).toBe(5);
  });

  it('adds advice to one request only', async () => {
    const { agent, listSent } = await createTestAgent(readSameFile);
    await agent.generateText(question);
    expect(listSent().map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 1, 1]);
  });

  it('answers a blocked call with the reason and does not run it', async () => {
    const { agent, listSent, runs } = await createTestAgent(insistentScript);
    const { text } = await agent.generateText(question);
    expect(listSent().length).toBeLessThanOrEqual(8);
    expect(listSent().at(-1)).toContain('Not run again: run has failed 3 times');
    expect([runs.count, text]).toEqual([3, 'It cannot be made.']);
  });

  it('does not change twelve productive steps', async () => {
    const governed = await createTestAgent(productiveSteps);
    const alone = await createTestAgent(productiveSteps, false);
    const { text } = await governed.agent.generateText(question);
    await alone.agent.generateText(question);
    expect(text).toBe('All read.');
    expect(governed.listSent()).toEqual(alone.listSent());
  });

  it('stops a model that calls tools it is not offered', async () => {
    const { agent, listSent } = await createTestAgent(ignoringScript);
    await agent.generateText(question);
    expect(listSent().length).toBe(5);
  });

  it('ends the loop of a sub-agent but not its parent', async () => {
    const { volt, agent, listSent } = await createTestAgent(readSameFile);
    const { model, requests } = sdk.createModel(delegateScript);
    const parent = new volt.Agent(
      governAgentOptions({ name: 'parent', instructions: 'Delegate.', model, subAgents: [agent] }),
    );
    const { text } = await parent.generateText(question);
    expect([listSent().length, requests.doGenerateCalls.length]).toEqual([5, 2]);
    expect(JSON.stringify(requests.doGenerateCalls.at(-1)?.prompt)).toContain('It says: ship on Friday.');
    expect(text).toBe('The sub-agent says Friday.');
  });
});
