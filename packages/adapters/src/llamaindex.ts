import type { ChatMessage, ChatResponse, ChatResponseChunk, LLMChatParamsBase } from '@llamaindex/core/llms';
import { createConversationJudge, type ConversationJudge } from './conversation-judge.ts';
import { formatFallbackAnswer, type GovernorDecision } from './governor-decision.ts';
import { toAnthropicMessage, type MessagePart } from './message-parts.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

type ChatReply = ChatResponse | AsyncIterable<ChatResponseChunk>;
type ChatMethod = (params: LLMChatParamsBase) => Promise<ChatReply>;

/**
 * Governs agents of LlamaIndex.TS at the model, which receives the whole conversation: `agent({ llm: governLlm(llm), tools
 * })`. Advice added to a request there is not stored.
 */
export function governLlm<Llm extends object>(llm: Llm, options: GovernOptions = {}): Llm {
  const judge = createConversationJudge<ChatMessage>(options, (message) =>
    message.role === 'system' || message.role === 'developer'
      ? { role: 'system', content: '' }
      : toAnthropicMessage(message.role === 'assistant' ? 'assistant' : 'user', toMessageParts(message)),
  );
  return new Proxy(llm, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as ChatMethod;
      return name === 'chat' ? createGovernedChat(method, judge) : method;
    },
  });
}

function createGovernedChat(chat: ChatMethod, judge: ConversationJudge<ChatMessage>): ChatMethod {
  return async (params) => {
    const decision = judge(params.messages);
    if (decision.advice === null) return chat(params);
    const messages = [...params.messages, { role: 'user' as const, content: decision.advice }];
    if (!decision.dropTools) return chat({ ...params, messages });
    const { tools: _, ...rest } = params;
    const reply = await chat({ ...rest, messages });
    return 'message' in reply ? toFinalResponse(reply, decision) : toFinalStream(reply, decision);
  };
}

type ToolCallOptions = { readonly toolCall?: unknown };
type ToolResultOptions = { readonly toolResult?: unknown };

/** Returns the final response without tool calls, which would not be run. */
function toFinalResponse(response: ChatResponse, { finish }: GovernorDecision): ChatResponse {
  const { message } = response;
  if (!hasToolCalls(message.options)) return response;
  const { toolCall: _, ...options } = message.options as ToolCallOptions;
  const content = getMessageText(message) === '' ? formatFallbackAnswer(finish) : message.content;
  return { ...response, message: { ...message, content, options } };
}

async function* toFinalStream(
  chunks: AsyncIterable<ChatResponseChunk>,
  { finish }: GovernorDecision,
): AsyncGenerator<ChatResponseChunk> {
  let text = '';
  let dropped = false;
  for await (const chunk of chunks) {
    text += chunk.delta;
    if (hasToolCalls(chunk.options)) {
      const { toolCall: _, ...options } = chunk.options as ToolCallOptions;
      dropped = true;
      yield { ...chunk, options };
    } else yield chunk;
  }
  if (dropped && text === '') yield { delta: formatFallbackAnswer(finish), raw: null };
}

function hasToolCalls(options: object | undefined): boolean {
  const { toolCall } = (options ?? {}) as ToolCallOptions;
  return Array.isArray(toolCall) && toolCall.length > 0;
}

type LlamaToolCall = { readonly id: string; readonly name: string; readonly input: unknown };
type LlamaToolResult = { readonly id: string; readonly result: unknown; readonly isError?: boolean };

function toMessageParts(message: ChatMessage): MessagePart[] {
  const { toolCall, toolResult } = (message.options ?? {}) as ToolCallOptions & ToolResultOptions;
  if (toolResult !== undefined) {
    const { id, result, isError } = toolResult as LlamaToolResult;
    return [{ result: { id, name: '', output: result, isError } }];
  }
  const calls = Array.isArray(toolCall) ? (toolCall as readonly LlamaToolCall[]) : [];
  const text = getMessageText(message);
  return [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ call: { id, name, args: parseToolInput(input) } })),
  ];
}

function getMessageText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A streamed call has its arguments as the text that the model wrote. */
function parseToolInput(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
