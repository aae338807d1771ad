import { AIMessage } from '@langchain/core/messages';
import { createMiddleware, type AgentMiddleware } from 'langchain';
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
    wrapToolCall: (request, next) =>
      refusedCall(judge(request.state.messages), request.toolCall) ?? next(request),
  });
}
