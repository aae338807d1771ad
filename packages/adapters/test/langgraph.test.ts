import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, GraphRecursionError, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedChatModel, langChainTools } from '../../../examples/adapters/langchain-model.ts';
import { alternateCommands, readSameFile, type AgentScript } from '../../../examples/adapters/scripts.ts';
import { createGraphGovernor } from '../src/langgraph.ts';
import {
  ignoringScript,
  insistentScript,
  governorNotePattern,
  productiveScript,
  recordScript,
} from './agent-scripts.ts';

const question = { messages: [{ role: 'user', content: 'When do we ship?' }] };

function createTestGraph(
  script: AgentScript,
  isGoverned = true,
  own: typeof langChainTools | [(typeof langChainTools)[0]] = langChainTools,
) {
  const model = new ScriptedChatModel(script);
  const { agent, tools: run } = createGraphGovernor();
  const ask = (messages: BaseMessage[], hasTools: boolean) =>
    (hasTools ? model.bindTools(own) : model).invoke(messages);
  const node = new ToolNode(own);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode(
      'agent',
      isGoverned ? agent(ask) : async ({ messages }) => ({ messages: [await ask(messages, true)] }),
    )
    .addNode('tools', isGoverned ? run(node) : node)
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile();
  return { model, graph };
}

const isGovernorNote = (message: BaseMessage): boolean => governorNotePattern.test(message.text);

/** As `insistent`, with another call next to the first that is refused. */
const insistentWithOtherCallScript: AgentScript = (asked, hasTools) => {
  const move = insistentScript(asked, hasTools);
  return asked === 3 && 'calls' in move
    ? { calls: [...move.calls, { tool: 'read', args: { path: 'Makefile' } }] }
    : move;
};

describe('a custom graph', () => {
  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('ends %s with an answer instead of at the step limit', async (_, script, steps) => {
    const alone = createTestGraph(script, false);
    await expect(alone.graph.invoke(question)).rejects.toThrow(GraphRecursionError);
    const { graph, model } = createTestGraph(script);
    const { messages } = await graph.invoke(question);
    expect(model.asked).toBe(steps);
    expect(alone.model.asked).toBeGreaterThan(steps);
    expect(script(steps - 1, false)).toEqual({ text: messages.at(-1)?.text });
  });

  it('adds advice to one request only, not to the stored conversation', async () => {
    const { graph, model } = createTestGraph(alternateCommands);
    const { messages } = await graph.invoke(question);
    expect(model.sent.map((sent) => sent.filter(isGovernorNote).length)).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(messages.filter(isGovernorNote)).toEqual([]);
  });

  it('answers a blocked call with the reason, and runs the other calls', async () => {
    const { graph } = createTestGraph(insistentWithOtherCallScript);
    const { messages } = await graph.invoke(question);
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    const refused = results.filter(({ text }) => text.startsWith('Not run again'));
    expect(refused.map(({ tool_call_id, status }) => [tool_call_id, status])).toEqual([
      ['call_4_0', 'error'],
      ['call_5_0', 'error'],
    ]);
    expect(results.map(({ tool_call_id }) => tool_call_id)).toContain('call_4_1');
    expect(messages.at(-1)?.text).toBe('It cannot be made.');
  });

  it('does not change two hundred productive steps', async () => {
    const numbered = tool(({ path }: { path: string }) => `content of ${path}`, {
      name: 'read',
      description: 'Reads a file',
      schema: z.object({ path: z.string() }),
    });
    const run = async (isGoverned: boolean) => {
      const { graph, model } = createTestGraph(productiveScript, isGoverned, [numbered]);
      await graph.invoke(question, { recursionLimit: 1_000 });
      return model.sent.map((sent) => sent.map(({ content }) => content));
    };
    const governed = await run(true);
    expect(governed.length).toBe(201);
    expect(governed).toEqual(await run(false));
  });

  it('supplies the final answer for a model that calls tools it was not offered', async () => {
    const script = recordScript(ignoringScript);
    const { messages } = await createTestGraph(script).graph.invoke(question);
    expect(script.offers).toEqual([true, true, true, true, false]);
    expect(messages.at(-1)?.text).toMatch(/^The work was stopped: read was called 4 times/);
  });

  it('streams', async () => {
    const { graph, model } = createTestGraph(readSameFile);
    const nodes: string[] = [];
    for await (const update of await graph.stream(question, { streamMode: 'updates' })) {
      nodes.push(...Object.keys(update));
    }
    expect(model.asked).toBe(5);
    expect(nodes.at(-1)).toBe('agent');
  });
});
