import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { benchAnswer, createPageRequest, benchGoal, readBenchPage } from '../durable/bench-session.ts';
import { getPackageVersion } from '../lib/environment.ts';
import type { LoopContender, LoopWork } from './contender.ts';

export const langChainContender: LoopContender = {
  name: 'LangChain createAgent',
  version: getPackageVersion('langchain', import.meta.url),
  async run(work) {
    const agent = createAgent({
      model: new InstantChatModel(work.steps),
      tools: [createLangChainReadTool(work)],
    });
    const { messages } = await agent.invoke(input, { recursionLimit: computeRecursionLimit(work) });
    return messages.at(-1)?.text ?? '';
  },
};

export const langGraphContender: LoopContender = {
  name: 'LangGraph.js StateGraph',
  version: getPackageVersion('@langchain/langgraph', import.meta.url),
  async run(work) {
    const tools = [createLangChainReadTool(work)];
    const model = new InstantChatModel(work.steps).bindTools(tools);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', toolsCondition, ['tools', END])
      .addEdge('tools', 'agent')
      .compile();
    const { messages } = await graph.invoke(input, { recursionLimit: computeRecursionLimit(work) });
    return messages.at(-1)?.text ?? '';
  },
};

const input = { messages: [{ role: 'user' as const, content: benchGoal }] };

function computeRecursionLimit({ steps }: LoopWork): number {
  return 4 * steps + 10;
}

function createLangChainReadTool({ tick }: LoopWork) {
  return tool(
    (page: { readonly path: string; readonly from: number }) => {
      tick();
      return readBenchPage(page);
    },
    {
      name: 'read',
      description: 'Reads a page of a file.',
      schema: z.object({ path: z.string(), from: z.number() }),
    },
  );
}

/** A model that answers immediately. */
class InstantChatModel extends BaseChatModel {
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
    if (this.#step === this.#steps) return new AIMessage(benchAnswer);
    const { text, callId, page } = createPageRequest(this.#step);
    this.#step += 1;
    return new AIMessage({ content: text, tool_calls: [{ id: callId, name: 'read', args: { ...page } }] });
  }
}
