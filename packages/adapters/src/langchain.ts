import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { isGraphBubbleUp } from '@langchain/langgraph';
import { createMiddleware, ToolInvocationError, type AgentMiddleware } from 'langchain';
import { advised, followLangChain, lastReply, refusedCall } from './langchain-messages.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

/** Governs a LangChain agent: `createAgent({ model, tools, middleware: [governorMiddleware()] })`. */
export function governorMiddleware(options: GovernOptions = {}): AgentMiddleware {
  const judge = followLangChain(options);
  return createMiddleware({
    name: 'PawlGovernor',
    wrapModelCall: async (request, next) => {
      // Other middleware may have shortened what is sent; what is judged is what happened.
      const judgement = judge(request.state.messages);
      if (judgement.advice === null) return next(request);
      const messages = advised(request.messages, judgement);
      if (!judgement.dropTools) return next({ ...request, messages });
      // A choice of tool makes no sense where there is none, and some providers refuse it.
      const { toolChoice: _, ...rest } = request;
      const reply = await next({ ...rest, messages, tools: [] });
      return AIMessage.isInstance(reply) ? lastReply(reply, judgement) : reply;
    },
    wrapToolCall: async (request, next) => {
      const refused = refusedCall(judge(request.state.messages), request.toolCall);
      if (refused !== null) return refused;
      try {
        return await next(request);
      } catch (error) {
        if (request.runtime.signal?.aborted === true) throw error;
        return failureMessage(error, request.toolCall);
      }
    },
  });
}

/**
 * What LangChain tells the model of a tool that failed, in its own words. It does so by itself only where no middleware wraps the
 * tools; where one does, the failure would end the run, and a governor must not make things worse.
 */
function failureMessage(error: unknown, { id = '', name }: ToolCall): ToolMessage {
  // Interrupts are how graphs wait for people, and calls that do not fit their schema are reported by the agent itself.
  if (isGraphBubbleUp(error) || ToolInvocationError.isInstance(error)) throw error;
  const content = `${String(error)}\n Please fix your mistakes.`;
  return new ToolMessage({ content, tool_call_id: id, name, status: 'error' });
}
