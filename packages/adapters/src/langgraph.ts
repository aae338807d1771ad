import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  appendAdviceMessage,
  createLangChainJudge,
  toFinalReply,
  createRefusalMessage,
} from './langchain-messages.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

type MessagesState = { readonly messages: BaseMessage[] };

/** Calls the model, with or without its tools. */
export type ModelNode<State extends MessagesState> = (
  messages: BaseMessage[],
  hasTools: boolean,
  state: State,
  config: RunnableConfig,
) => Promise<BaseMessage>;

/** A `ToolNode`, or any other runner for the calls of the last message. */
export type ToolRunner = {
  readonly invoke: (state: MessagesState, config?: RunnableConfig) => Promise<unknown>;
};

export type GraphGovernor = {
  /** Creates the node that calls the model. */
  readonly agent: <State extends MessagesState>(
    ask: ModelNode<State>,
  ) => (state: State, config: RunnableConfig) => Promise<{ messages: BaseMessage[] }>;
  /** Creates the node that runs tools; blocked calls are answered with the reason. */
  readonly tools: (
    node: ToolRunner,
  ) => (state: MessagesState, config: RunnableConfig) => Promise<{ messages: BaseMessage[] }>;
};

/** Governs a LangGraph graph whose state has `messages`, through its two nodes. */
export function createGraphGovernor(options: GovernOptions = {}): GraphGovernor {
  const judge = createLangChainJudge(options);
  return {
    agent: (ask) => async (state, config) => {
      const decision = judge(state.messages);
      const messages = appendAdviceMessage(state.messages, decision);
      const reply = await ask(messages, !decision.dropTools, state, config);
      const isLast = decision.dropTools && AIMessage.isInstance(reply);
      return { messages: [isLast ? toFinalReply(reply, decision) : reply] };
    },
    tools: (node) => async (state, config) => {
      const reply = state.messages.at(-1);
      const calls = AIMessage.isInstance(reply) ? (reply.tool_calls ?? []) : [];
      const decision = judge(state.messages);
      const refused = new Map(calls.map((call) => [call, createRefusalMessage(decision, call)]));
      const answers = calls.map((call) => refused.get(call)).filter((answer) => answer != null);
      if (!AIMessage.isInstance(reply) || answers.length === 0) return invokeToolNode(node, state, config);
      const allowed = calls.filter((call) => refused.get(call) === null);
      if (allowed.length === 0) return { messages: answers };
      const rest = new AIMessage({ content: reply.content, tool_calls: allowed });
      const messages = [...state.messages.slice(0, -1), rest];
      const results = await invokeToolNode(node, { ...state, messages }, config);
      return { messages: [...answers, ...results.messages] };
    },
  };
}

/** A node may return messages, or a state that contains them. */
async function invokeToolNode(
  node: ToolRunner,
  state: MessagesState,
  config: RunnableConfig,
): Promise<{ messages: BaseMessage[] }> {
  const result = await node.invoke(state, config);
  return (Array.isArray(result) ? { messages: result as BaseMessage[] } : result) as MessagesState;
}
