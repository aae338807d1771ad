import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createScriptedAiSdkModel } from '../../../examples/adapters/ai-sdk-model.ts';
import {
  alternateCommands,
  readSameFile,
  exampleTools as functions,
  type AgentScript,
} from '../../../examples/adapters/scripts.ts';
import { createGovernorProcessor } from '../src/mastra.ts';
import { countMatches, insistentScript, governorNotePattern, productiveScript } from './agent-scripts.ts';

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

function createMastraAgent(script: AgentScript, isGoverned = true) {
  const model = createScriptedAiSdkModel(script);
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: 'Be brief.',
    // Mastra uses another version of the same model types.
    model: model as object as MastraModelConfig,
    tools,
    inputProcessors: isGoverned ? [createGovernorProcessor()] : [],
  });
  return { model, agent };
}

/** Returns the sent messages without the times and ids that Mastra adds. */
function listSentRequests({
  doGenerateCalls,
}: ReturnType<typeof createScriptedAiSdkModel>): readonly string[] {
  return doGenerateCalls.map((call) =>
    JSON.stringify([call.prompt, call.tools, call.toolChoice]).replaceAll(
      /"createdAt":\d+/g,
      '"createdAt":0',
    ),
  );
}

async function recordRequests(isGoverned: boolean): Promise<readonly string[]> {
  const { agent, model } = createMastraAgent(productiveScript, isGoverned);
  await agent.generate(question, { maxSteps: 300 });
  return listSentRequests(model);
}

describe('Mastra', () => {
  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('ends %s with an answer instead of at the step limit', async (_, script, steps) => {
    const alone = createMastraAgent(script, false);
    const unanswered = await alone.agent.generate(question, { maxSteps: 20 });
    expect([alone.model.doGenerateCalls.length, unanswered.text]).toEqual([20, '']);
    const { agent, model } = createMastraAgent(script);
    const { text } = await agent.generate(question, { maxSteps: 20 });
    expect(model.doGenerateCalls.length).toBe(steps);
    expect(script(steps - 1, false)).toEqual({ text });
    expect(model.doGenerateCalls.at(-1)?.tools ?? []).toEqual([]);
  });

  it('adds advice to one request only, not to the stored conversation', async () => {
    const { agent, model } = createMastraAgent(alternateCommands);
    const result = await agent.generate(question, { maxSteps: 20 });
    expect(listSentRequests(model).map((text) => countMatches(text, governorNotePattern))).toEqual([
      0, 0, 0, 0, 0, 1, 1,
    ]);
    expect(JSON.stringify(result.messages)).not.toMatch(governorNotePattern);
    expect(JSON.stringify(result.response.messages)).not.toMatch(governorNotePattern);
  });

  it('advises against a call that keeps failing and then ends the work', async () => {
    const { agent, model } = createMastraAgent(insistentScript);
    const { text } = await agent.generate(question, { maxSteps: 20 });
    expect(listSentRequests(model).map((sent) => countMatches(sent, governorNotePattern))).toEqual([
      0, 0, 1, 1, 1,
    ]);
    expect(text).toBe('It cannot be made.');
  });

  it('does not change two hundred productive steps', async () => {
    const governed = await recordRequests(true);
    expect(governed.length).toBe(201);
    expect(governed).toEqual(await recordRequests(false));
  });

  it('streams', async () => {
    const { agent, model } = createMastraAgent(readSameFile);
    const result = await agent.stream(question, { maxSteps: 20 });
    expect(await result.text).toContain('ship on Friday');
    expect(model.doStreamCalls.length).toBe(5);
  });
});
