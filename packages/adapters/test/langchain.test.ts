import { MemorySaver, GraphRecursionError, interrupt } from '@langchain/langgraph';
import { tool } from '@langchain/core/tools';
import { createAgent, ToolMessage, type AgentMiddleware, type BaseMessage } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedChatModel, langChainTools } from '../../../examples/adapters/langchain-model.ts';
import { alternateCommands, readSameFile, type AgentScript } from '../../../examples/adapters/scripts.ts';
import { createGovernorMiddleware } from '../src/langchain.ts';
import {
  ignoringScript,
  insistentScript,
  governorNotePattern,
  productiveScript,
  recordScript,
} from './agent-scripts.ts';

const question = { messages: [{ role: 'user', content: 'When do we ship?' }] };

const numberedReadTool = tool(({ path }) => `content of ${path}`, {
  name: 'read',
  description: 'Reads a file',
  schema: z.object({ path: z.string() }),
});

function createLangChainAgent(
  script: AgentScript,
  middleware: readonly AgentMiddleware[] = [createGovernorMiddleware()],
) {
  const model = new ScriptedChatModel(script);
  return { model, agent: createAgent({ model, tools: langChainTools, middleware: [...middleware] }) };
}

async function recordRequests(middleware: AgentMiddleware[]): Promise<unknown[]> {
  const model = new ScriptedChatModel(productiveScript);
  const agent = createAgent({ model, tools: [numberedReadTool], middleware });
  await agent.invoke(question, { recursionLimit: 1_000 });
  return model.sent.map((sent) => sent.map(({ content }) => content));
}

const invalidCallScript: AgentScript = (asked) =>
  asked === 0 ? { calls: [{ tool: 'read', args: { file: 'x' } }] } : { text: 'I see.' };

describe('createAgent', () => {
  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('ends %s with an answer instead of at the step limit', async (_, script, steps) => {
    const alone = createLangChainAgent(script, []);
    await expect(alone.agent.invoke(question)).rejects.toThrow(GraphRecursionError);
    const { agent, model } = createLangChainAgent(script);
    const { messages } = await agent.invoke(question);
    expect(model.asked).toBe(steps);
    expect(alone.model.asked).toBeGreaterThan(steps);
    expect(script(steps - 1, false)).toEqual({ text: messages.at(-1)?.text });
  });

  it('adds advice to one request only, not to the stored conversation', async () => {
    const { agent, model } = createLangChainAgent(alternateCommands);
    const { messages } = await agent.invoke(question);
    expect(model.sent.map((sent) => sent.filter(isGovernorNote).length)).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(messages.filter(isGovernorNote)).toEqual([]);
  });

  it('answers a blocked call with the reason and does not run it', async () => {
    const { agent, model } = createLangChainAgent(insistentScript);
    const { messages } = await agent.invoke(question);
    const refused = messages.filter(
      (message) => ToolMessage.isInstance(message) && message.text.startsWith('Not run again'),
    );
    expect(refused.length).toBe(2);
    expect(refused.every((message) => (message as ToolMessage).status === 'error')).toBe(true);
    expect(model.asked).toBe(6);
    expect(messages.at(-1)?.text).toBe('It cannot be made.');
  });

  it('does not change two hundred productive steps', async () => {
    const verdicts: unknown[] = [];
    const governed = await recordRequests([
      createGovernorMiddleware({ onVerdict: (verdict) => verdicts.push(verdict) }),
    ]);
    expect(governed.length).toBe(201);
    expect(verdicts).toEqual([]);
    expect(governed).toEqual(await recordRequests([]));
  });

  it('supplies the final answer for a model that calls tools it was not offered', async () => {
    const script = recordScript(ignoringScript);
    const { agent } = createLangChainAgent(script);
    const { messages } = await agent.invoke(question);
    expect(script.offers).toEqual([true, true, true, true, false]);
    expect(messages.at(-1)?.text).toMatch(/^The work was stopped: read was called 4 times/);
  });

  it('streams', async () => {
    const { agent, model } = createLangChainAgent(readSameFile);
    let last = '';
    for await (const update of await agent.stream(question, { streamMode: 'updates' })) {
      const { messages } = (Object.values(update)[0] ?? {}) as { messages?: BaseMessage[] };
      last = messages?.at(-1)?.text ?? last;
    }
    expect(model.asked).toBe(5);
    expect(last).toContain('ship on Friday');
  });

  it('judges a stored thread by its full history', async () => {
    const model = new ScriptedChatModel(readSameFile);
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: 'one' }, recursionLimit: 7 };
    const alone = createAgent({ model, tools: langChainTools, checkpointer });
    await expect(alone.invoke(question, config)).rejects.toThrow(GraphRecursionError);
    const governed = createAgent({
      model,
      tools: langChainTools,
      checkpointer,
      middleware: [createGovernorMiddleware()],
    });
    const { messages } = await governed.invoke(null, config);
    expect(messages.filter((message) => ToolMessage.isInstance(message)).length).toBeLessThanOrEqual(4);
    expect(messages.at(-1)?.text).toContain('ship on Friday');
  });

  it('passes interrupts and invalid arguments through', async () => {
    const asking = tool(() => interrupt<string, string>('May I?'), {
      name: 'read',
      description: 'Asks first',
      schema: z.object({ path: z.string() }),
    });
    const model = new ScriptedChatModel(readSameFile);
    const agent = createAgent({
      model,
      tools: [asking],
      checkpointer: new MemorySaver(),
      middleware: [createGovernorMiddleware()],
    });
    const paused = await agent.invoke(question, { configurable: { thread_id: 'two' } });
    expect(JSON.stringify(paused)).toContain('May I?');
    const { messages } = await createLangChainAgent(invalidCallScript).agent.invoke(question);
    expect(messages.at(-1)?.text).toBe('I see.');
    expect((messages.at(-2) as ToolMessage).status).toBe('error');
  });
});

function isGovernorNote(message: BaseMessage): boolean {
  return governorNotePattern.test(message.text);
}
