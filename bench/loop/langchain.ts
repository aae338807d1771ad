import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { answer, askedAt, goal, read } from '../durable/work.ts';
import { versionOf } from '../lib/environment.ts';
import type { LoopContender, Work } from './contender.ts';

export const langChain: LoopContender = {
  name: 'LangChain createAgent',
  version: versionOf('langchain', import.meta.url),
  async run(work) {
    const agent = createAgent({ model: new Model(work.steps), tools: [readTool(work)] });
    const { messages } = await agent.invoke(input, { recursionLimit: limitFor(work) });
    return messages.at(-1)?.text ?? '';
  },
};

export const langGraph: LoopContender = {
  name: 'LangGraph.js StateGraph',
  version: versionOf('@langchain/langgraph', import.meta.url),
  async run(work) {
    const tools = [readTool(work)];
    const model = new Model(work.steps).bindTools(tools);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', toolsCondition, ['tools', END])
      .addEdge('tools', 'agent')
      .compile();
    const { messages } = await graph.invoke(input, { recursionLimit: limitFor(work) });
    return messages.at(-1)?.text ?? '';
  },
};

const input = { messages: [{ role: 'user' as const, content: goal }] };

function limitFor({ steps }: Work): number {
  return 4 * steps + 10;
}

function readTool({ tick }: Work) {
  return tool(
    (page: { readonly path: string; readonly from: number }) => {
      tick();
      return read(page);
    },
    {
      name: 'read',
      description: 'Reads a page of a file.',
      schema: z.object({ path: z.string(), from: z.number() }),
    },
  );
}

/** Answers at once. */
class Model extends BaseChatModel {
  #step = 0;
  readonly #steps: number;

  constructor(steps: number) {
    super({});
    this.#steps = steps;
  }

  _llmType(): string {
    return 'zero-latency';
  }

  override bindTools(bound: readonly unknown[]): ReturnType<BaseChatModel['withConfig']> {
    return this.withConfig({ tools: bound } as object);
  }

  async _generate(): Promise<ChatResult> {
    const message = this.#next();
    return { generations: [{ text: message.text, message }] };
  }

  #next(): AIMessage {
    if (this.#step === this.#steps) return new AIMessage(answer);
    const { text, callId, page } = askedAt(this.#step);
    this.#step += 1;
    return new AIMessage({ content: text, tool_calls: [{ id: callId, name: 'read', args: { ...page } }] });
  }
}
