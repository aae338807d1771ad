import { createConversationJudge } from './conversation-judge.ts';
import { formatFallbackAnswer, type GovernorDecision } from './governor-decision.ts';
import { toAnthropicMessage, type MessagePart } from './message-parts.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

/** The fields of Genkit's messages that the governor reads. */
export type GenkitMessage = { role: string; content: object[] };

export type GenkitRequest = { messages: GenkitMessage[]; tools?: unknown; toolChoice?: unknown };

export type GenkitResponse = { message?: GenkitMessage | undefined };

/** A model middleware, for `use` of `generate`, `generateStream` and `definePrompt`. */
export type GenkitMiddleware = <Request, Response>(
  request: Request,
  next: (request?: Request) => Promise<Response>,
) => Promise<Response>;

type GenkitPart = {
  readonly text?: string;
  readonly toolRequest?: { readonly name: string; readonly ref?: string; readonly input?: unknown };
  readonly toolResponse?: { readonly name: string; readonly ref?: string; readonly output?: unknown };
};

/** Governs Genkit: `ai.generate({ model, tools, prompt, use: [createModelMiddleware()] })`. */
export function createModelMiddleware(options: GovernOptions = {}): GenkitMiddleware {
  const judge = createConversationJudge<GenkitMessage>(options, ({ role, content }) =>
    role === 'system'
      ? { role, content: '' }
      : toAnthropicMessage(role === 'model' ? 'assistant' : 'user', content.flatMap(toMessageParts)),
  );
  return async (request, next) => {
    const given = request as GenkitRequest;
    const decision = judge(given.messages);
    if (decision.advice === null) return next(request);
    // The middleware changes only this request, so the advice is not stored.
    const messages = [...given.messages, { role: 'user', content: [{ text: decision.advice }] }];
    const { toolChoice: _, ...rest } = given;
    const changed = decision.dropTools ? { ...rest, messages, tools: [] } : { ...given, messages };
    const response = await next(changed as typeof request);
    // Only the message is replaced, by one of the same type.
    return decision.dropTools
      ? (toFinalResponse(response as GenkitResponse, decision) as typeof response)
      : response;
  };
}

/** Returns the final response without tool requests, which would not be run. */
function toFinalResponse(response: GenkitResponse, { finish }: GovernorDecision): GenkitResponse {
  const { message } = response;
  if (message === undefined || !message.content.some(isToolRequest)) return response;
  const content = message.content.filter((part) => !isToolRequest(part));
  const hasText = content.some((part) => 'text' in part && part.text !== '');
  const answer = hasText ? content : [...content, { text: formatFallbackAnswer(finish) }];
  return { ...response, message: { ...message, content: answer } };
}

function isToolRequest(part: object): boolean {
  return (part as GenkitPart).toolRequest !== undefined;
}

function toMessageParts(part: object): MessagePart[] {
  const { text, toolRequest, toolResponse } = part as GenkitPart;
  if (toolRequest !== undefined) {
    const { name, ref, input } = toolRequest;
    return [{ call: { id: ref, name, args: input } }];
  }
  if (toolResponse !== undefined) {
    const { name, ref, output } = toolResponse;
    return [{ result: { id: ref, name, output } }];
  }
  return text === undefined ? [] : [{ text }];
}
