import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { isGraphBubbleUp } from '@langchain/langgraph';
import { createMiddleware, ToolInvocationError, type AgentMiddleware } from 'langchain';
import {
  appendAdviceMessage,
  createLangChainJudge,
  toFinalReply,
  createRefusalMessage,
} from './langchain-messages.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

/** Governs a LangChain agent: `createAgent({ model, tools, middleware: [createGovernorMiddleware()] })`. */
export function createGovernorMiddleware(options: GovernOptions = {}): AgentMiddleware {
  const judge = createLangChainJudge(options);
  return createMiddleware({
    name: 'PawlGovernor',
    wrapModelCall: async (request, next) => {
      // Judge the full state, because other middleware may have shortened the request.
      const decision = judge(request.state.messages);
      if (decision.advice === null) return next(request);
      const messages = appendAdviceMessage(request.messages, decision);
      if (!decision.dropTools) return next({ ...request, messages });
      // A tool choice without tools is invalid for some providers.
      const { toolChoice: _, ...rest } = request;
      const reply = await next({ ...rest, messages, tools: [] });
      return AIMessage.isInstance(reply) ? toFinalReply(reply, decision) : reply;
    },
    wrapToolCall: async (request, next) => {
      const refused = createRefusalMessage(judge(request.state.messages), request.toolCall);
      if (refused !== null) return refused;
      try {
        return await next(request);
      } catch (error) {
        if (request.runtime.signal?.aborted === true) throw error;
        return createFailureMessage(error, request.toolCall);
      }
    },
  });
}

/**
 * Reproduces the message that LangChain sends to the model for a failed tool. LangChain does this itself only if no
 * middleware wraps the tools; otherwise the failure would end the run.
 */
function createFailureMessage(error: unknown, { id = '', name }: ToolCall): ToolMessage {
  // Graphs use interrupts to wait for users.
  if (isGraphBubbleUp(error)) throw error;
  // A call that does not match its schema; its error is already phrased for the model.
  const content =
    error instanceof ToolInvocationError ? error.message : `${String(error)}\n Please fix your mistakes.`;
  return new ToolMessage({ content, tool_call_id: id, name, status: 'error' });
}
