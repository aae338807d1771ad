import {
  Agent,
  MaxTurnsExceededError,
  MemorySession,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  alternateCommands,
  readSameFile,
  exampleTools as functions,
  type AgentScript,
} from '../../../examples/adapters/scripts.ts';
import { createAgentsGovernor } from '../src/openai-agents.ts';
import {
  countMatches,
  ignoringScript,
  insistentScript,
  governorNotePattern,
  productiveScript,
} from './agent-scripts.ts';

setTracingDisabled(true);

const question = 'When do we ship?';
const runCounter = { count: 0 };

const tools = [
  tool({
    name: 'read',
    description: 'Reads a file',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => (path.startsWith('file-') ? `content of ${path}` : functions.read(path)),
  }),
  tool({
    name: 'run',
    description: 'Runs a command',
    parameters: z.object({ command: z.string() }),
    execute: ({ command }) => {
      runCounter.count += 1;
      return functions.run(command);
    },
  }),
];

function createScriptedAgentsModel(script: AgentScript): ScriptedModel {
  return new ScriptedModel(
    Array.from({ length: 250 }, (_, asked) =>
      modelResponder(({ request }) => {
        const move = script(asked, request.tools.length > 0);
        return 'text' in move
          ? [assistantMessage(move.text)]
          : move.calls.map(({ tool: name, args }, index) =>
              functionCall(name, args, { callId: `call_${asked}_${index}` }),
            );
      }),
    ),
  );
}

function createTestAgent(script: AgentScript, isGoverned = true) {
  const model = createScriptedAgentsModel(script);
  const governor = createAgentsGovernor();
  const agent = new Agent({
    name: 'Assistant',
    model: isGoverned ? governor.model(model) : model,
    tools: isGoverned ? governor.tools(tools) : tools,
  });
  return { model, agent, sent: () => model.calls.map(({ request }) => JSON.stringify(request.input)) };
}

const limits = { maxTurns: 20 };

async function recordRequests(isGoverned: boolean): Promise<readonly string[]> {
  const { agent, model } = createTestAgent(productiveScript, isGoverned);
  await new Runner().run(agent, question, { maxTurns: 300 });
  return model.calls.map(({ request }) =>
    JSON.stringify([request.input, request.tools, request.modelSettings]),
  );
}

/** Fails three times out of four, each time with another command. */
const stumblingScript: AgentScript = (asked) => {
  if (asked >= 16) return { text: 'Through.' };
  const name = asked % 4 === 3 ? 'read' : 'run';
  return {
    calls: [{ tool: name, args: { path: `file-${asked}`, command: `step ${'abcdefghijklmnop'[asked]}` } }],
  };
};

describe('the OpenAI Agents SDK', () => {
  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('ends %s with an answer instead of at the step limit', async (_, script, steps) => {
    const alone = createTestAgent(script, false);
    await expect(new Runner().run(alone.agent, question, limits)).rejects.toThrow(MaxTurnsExceededError);
    expect(alone.model.calls.length).toBe(20);
    const { agent, model } = createTestAgent(script);
    const { finalOutput } = await new Runner().run(agent, question, limits);
    expect(model.calls.length).toBe(steps);
    expect(script(steps - 1, false)).toEqual({ text: finalOutput });
    expect(model.calls.at(-1)?.request).toMatchObject({ tools: [], handoffs: [] });
  });

  it('adds advice to one request only, and to no session and no result', async () => {
    const { agent, sent } = createTestAgent(alternateCommands);
    const session = new MemorySession();
    const result = await new Runner().run(agent, question, { ...limits, session });
    expect(sent().map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(JSON.stringify(await session.getItems())).not.toMatch(governorNotePattern);
    expect(JSON.stringify(result.history)).not.toMatch(governorNotePattern);
  });

  it('distinguishes failures although the SDK reports all with the same text', async () => {
    const { agent, sent } = createTestAgent(stumblingScript);
    const { finalOutput } = await new Runner().run(agent, question, limits);
    expect(finalOutput).toBe('Through.');
    expect(sent().join('')).not.toMatch(governorNotePattern);
  });

  it('answers a blocked call with the reason and does not run it', async () => {
    runCounter.count = 0;
    const { agent, model } = createTestAgent(insistentScript);
    const { finalOutput, history } = await new Runner().run(agent, question, limits);
    expect(runCounter.count).toBe(3);
    expect(countMatches(JSON.stringify(history), /Not run again: run has failed 3 times/)).toBe(2);
    expect(model.calls.length).toBe(6);
    expect(finalOutput).toBe('It cannot be made.');
  });

  it('advises if it does not wrap the tools, and still ends the work', async () => {
    runCounter.count = 0;
    const governor = createAgentsGovernor();
    const agent = new Agent({
      name: 'Assistant',
      model: governor.model(createScriptedAgentsModel(insistentScript)),
      tools,
    });
    const { finalOutput } = await new Runner().run(agent, question, limits);
    expect(runCounter.count).toBe(4);
    expect(finalOutput).toBe('It cannot be made.');
  });

  it('does not change two hundred productive steps', async () => {
    const governed = await recordRequests(true);
    expect(governed.length).toBe(201);
    expect(governed).toEqual(await recordRequests(false));
  });

  it.each([false, true])(
    'supplies the final answer for a model that calls tools it was not offered',
    async (stream) => {
      const { agent, model } = createTestAgent(ignoringScript);
      const runner = new Runner();
      const result = stream
        ? await runner.run(agent, question, { ...limits, stream: true })
        : await runner.run(agent, question, limits);
      if ('completed' in result) await result.completed;
      expect(model.calls.length).toBe(5);
      expect(result.finalOutput).toMatch(/^The work was stopped: read was called 4 times/);
    },
  );

  it('streams, with refusals', async () => {
    runCounter.count = 0;
    const { agent, model } = createTestAgent(insistentScript);
    const result = await new Runner().run(agent, question, { ...limits, stream: true });
    await result.completed;
    expect(runCounter.count).toBe(3);
    expect(model.calls.length).toBe(6);
    expect(result.finalOutput).toBe('It cannot be made.');
  });

  it('governs models referenced by name', async () => {
    const model = createScriptedAgentsModel(readSameFile);
    const modelProvider = createAgentsGovernor().modelProvider({ getModel: () => model });
    const agent = new Agent({ name: 'Assistant', model: 'any', tools });
    const { finalOutput } = await new Runner({ modelProvider }).run(agent, question, limits);
    expect(model.calls.length).toBe(5);
    expect(finalOutput).toContain('ship on Friday');
  });
});
