import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { advised, followLangChain, lastReply, refusedCall } from './langchain-messages.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

type Messages = { readonly messages: BaseMessage[] };

/** Asks the model, with its tools or without. */
export type AskModel<State extends Messages> = (
  messages: BaseMessage[],
  hasTools: boolean,
  state: State,
  config: RunnableConfig,
) => Promise<BaseMessage>;

/** A `ToolNode`, or whatever else runs the calls of the last message. */
export type RunTools = {
  readonly invoke: (state: Messages, config?: RunnableConfig) => Promise<unknown>;
};

export type GraphGovernor = {
  /** The node that asks the model. */
  readonly agent: <State extends Messages>(
    ask: AskModel<State>,
  ) => (state: State, config: RunnableConfig) => Promise<{ messages: BaseMessage[] }>;
  /** The node that runs tools, except for calls that are refused: those are answered with the reason. */
  readonly tools: (
    node: RunTools,
  ) => (state: Messages, config: RunnableConfig) => Promise<{ messages: BaseMessage[] }>;
};

/** Governs a graph of LangGraph whose state has `messages`, by its two nodes. */
export function graphGovernor(options: GovernOptions = {}): GraphGovernor {
  const judge = followLangChain(options);
  return {
    agent: (ask) => async (state, config) => {
      const judgement = judge(state.messages);
      const messages = advised(state.messages, judgement);
      const reply = await ask(messages, !judgement.dropTools, state, config);
      const isLast = judgement.dropTools && AIMessage.isInstance(reply);
      return { messages: [isLast ? lastReply(reply, judgement) : reply] };
    },
    tools: (node) => async (state, config) => {
      const reply = state.messages.at(-1);
      const calls = AIMessage.isInstance(reply) ? (reply.tool_calls ?? []) : [];
      const judgement = judge(state.messages);
      const refused = new Map(calls.map((call) => [call, refusedCall(judgement, call)]));
      const answers = calls.map((call) => refused.get(call)).filter((answer) => answer != null);
      if (!AIMessage.isInstance(reply) || answers.length === 0) return ran(node, state, config);
      const allowed = calls.filter((call) => refused.get(call) === null);
      if (allowed.length === 0) return { messages: answers };
      const rest = new AIMessage({ content: reply.content, tool_calls: allowed });
      const messages = [...state.messages.slice(0, -1), rest];
      const results = await ran(node, { ...state, messages }, config);
      return { messages: [...answers, ...results.messages] };
    },
  };
}

/** A node may answer with messages, or with a state that has them. */
async function ran(
  node: RunTools,
  state: Messages,
  config: RunnableConfig,
): Promise<{ messages: BaseMessage[] }> {
  const result = await node.invoke(state, config);
  return (Array.isArray(result) ? { messages: result as BaseMessage[] } : result) as Messages;
}
