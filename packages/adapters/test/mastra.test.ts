import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../../../examples/adapters/ai-sdk-model.ts';
import {
  backAndForth,
  sameFile,
  tools as functions,
  type Script,
} from '../../../examples/adapters/scripts.ts';
import { governorProcessor } from '../src/mastra.ts';
import { countOf, insistent, note, productive } from './agents.ts';

const question = 'When do we ship?';

const tools = {
  read: createTool({
    id: 'read',
    description: 'Reads a file',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => (path.startsWith('file-') ? `content of ${path}` : functions.read(path)),
  }),
  run: createTool({
    id: 'run',
    description: 'Runs a command',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => functions.run(command),
  }),
};

function agentWith(script: Script, isGoverned = true) {
  const model = scriptedModel(script);
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: 'Be brief.',
    // Mastra knows the model by another release of the same types.
    model: model as object as MastraModelConfig,
    tools,
    inputProcessors: isGoverned ? [governorProcessor()] : [],
  });
  return { model, agent };
}

/** What was sent, without the times and ids that Mastra stamps on it. */
function sentTo({ doGenerateCalls }: ReturnType<typeof scriptedModel>): readonly string[] {
  return doGenerateCalls.map((call) =>
    JSON.stringify([call.prompt, call.tools, call.toolChoice]).replaceAll(
      /"createdAt":\d+/g,
      '"createdAt":0',
    ),
  );
}

async function requests(isGoverned: boolean): Promise<readonly string[]> {
  const { agent, model } = agentWith(productive, isGoverned);
  await agent.generate(question, { maxSteps: 300 });
  return sentTo(model);
}

describe('Mastra', () => {
  it.each([
    ['sameFile', sameFile, 5],
    ['backAndForth', backAndForth, 8],
  ])('ends %s with an answer, where it would run into the limit alone', async (_, script, steps) => {
    const alone = agentWith(script, false);
    const unanswered = await alone.agent.generate(question, { maxSteps: 20 });
    expect([alone.model.doGenerateCalls.length, unanswered.text]).toEqual([20, '']);
    const { agent, model } = agentWith(script);
    const { text } = await agent.generate(question, { maxSteps: 20 });
    expect(model.doGenerateCalls.length).toBe(steps);
    expect(script(steps - 1, false)).toEqual({ text });
    expect(model.doGenerateCalls.at(-1)?.tools ?? []).toEqual([]);
  });

  it('adds advice to one request only, and to nothing that is kept', async () => {
    const { agent, model } = agentWith(backAndForth);
    const result = await agent.generate(question, { maxSteps: 20 });
    expect(sentTo(model).map((text) => countOf(text, note))).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
    expect(JSON.stringify(result.messages)).not.toMatch(note);
    expect(JSON.stringify(result.response.messages)).not.toMatch(note);
  });

  it('advises against a call that keeps failing and then ends the work', async () => {
    const { agent, model } = agentWith(insistent);
    const { text } = await agent.generate(question, { maxSteps: 20 });
    expect(sentTo(model).map((sent) => countOf(sent, note))).toEqual([0, 0, 1, 1, 1]);
    expect(text).toBe('It cannot be made.');
  });

  it('leaves two hundred productive steps as they are', async () => {
    const governed = await requests(true);
    expect(governed.length).toBe(201);
    expect(governed).toEqual(await requests(false));
  });

  it('streams', async () => {
    const { agent, model } = agentWith(sameFile);
    const result = await agent.stream(question, { maxSteps: 20 });
    expect(await result.text).toContain('ship on Friday');
    expect(model.doStreamCalls.length).toBe(5);
  });
});
