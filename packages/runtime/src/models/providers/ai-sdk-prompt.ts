import { isJsonObject } from '@pawl/governor/json';
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider';
import { type AssistantMessage, type Json, type ToolMessage, iterateItems } from '@pawl/core';
import { formatToolOutcome } from '../../protocols/native.ts';
import type { ToolDescription } from '../../tools/tool.ts';
import type { ModelRequest } from '../model.ts';
import type { AttachmentCache, WireNames } from './ai-sdk-parts.ts';

export type PromptContext = { readonly names: WireNames; readonly attachments: AttachmentCache };

/**
 * Builds the prompt of a request. Avoids what some providers and chat templates reject: empty messages, consecutive
 * user messages, and an assistant message at the end.
 */
export function buildPrompt(request: ModelRequest, context: PromptContext): LanguageModelV4Prompt {
  const ids = createWireIds();
  const messages: LanguageModelV4Message[] = [];
  for (const message of iterateItems(request.conversation)) {
    if (message.role === 'user') addUserMessage(messages, message.text);
    else if (message.role === 'assistant') addAssistantMessage(messages, message, { ...context, ids });
    else addToolResult(messages, message, context.names, ids);
  }
  const system = cleanText(request.system);
  const stored = messages.at(-1);
  if (stored !== undefined) stored.providerOptions = cacheBreakpoint;
  addUserMessage(messages, request.state ?? request.advice ?? '');
  const last = messages.at(-1)?.role;
  if (last === undefined || last === 'assistant') addUserMessage(messages, 'Continue.');
  return system === ''
    ? messages
    : [{ role: 'system', content: system, providerOptions: cacheBreakpoint }, ...messages];
}

/**
 * Anthropic caches only up to explicit breakpoints and bills cached input at a tenth of the price; other providers
 * cache automatically.
 */
const cacheBreakpoint = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** Replaces lone surrogates, which some JSON parsers reject, and treats whitespace-only text as empty. */
function cleanText(text: string): string {
  return text.trim() === '' ? '' : text.toWellFormed();
}

function addUserMessage(messages: LanguageModelV4Message[], text: string): void {
  const clean = cleanText(text);
  if (clean === '') return;
  const previous = messages.at(-1);
  const part = previous?.role === 'user' ? previous.content[0] : undefined;
  if (part?.type === 'text') part.text = `${part.text}\n\n${clean}`;
  else messages.push({ role: 'user', content: [{ type: 'text', text: clean }] });
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

function addAssistantMessage(
  messages: LanguageModelV4Message[],
  { text, calls }: AssistantMessage,
  { names, attachments, ids }: PromptContext & { readonly ids: WireIds },
): void {
  const clean = cleanText(text);
  const reasoning = attachments.getReasoning(calls[0]?.id ?? '');
  const content: AssistantContent = [
    ...reasoning.map((part) => ({
      type: 'reasoning' as const,
      text: part.text,
      providerOptions: part.attachment,
    })),
    // Some providers reject trailing whitespace in assistant messages.
    ...(clean === '' ? [] : [{ type: 'text' as const, text: clean.trimEnd() }]),
    ...calls.map(({ id, tool, args }): LanguageModelV4ToolCallPart => {
      const attachment = attachments.getCall(id);
      return {
        type: 'tool-call',
        toolCallId: ids.call(id),
        toolName: names.toWire(tool),
        input: toToolInput(args),
        ...(attachment !== undefined && { providerOptions: attachment }),
      };
    }),
  ];
  if (content.length > 0) messages.push({ role: 'assistant', content });
}

function addToolResult(
  messages: LanguageModelV4Message[],
  { callId, tool, outcome }: ToolMessage,
  names: WireNames,
  ids: WireIds,
): void {
  const text = cleanText(formatToolOutcome(outcome));
  const value = text === '' ? '(no output)' : text;
  const part = {
    type: 'tool-result' as const,
    toolCallId: ids.result(callId),
    toolName: names.toWire(tool),
    output: outcome.ok ? { type: 'text' as const, value } : { type: 'error-text' as const, value },
  };
  const previous = messages.at(-1);
  if (previous?.role === 'tool') previous.content.push(part);
  else messages.push({ role: 'tool', content: [part] });
}

/** Messages are immutable and sent with every request, so converted arguments are cached for their lifetime. */
const inputCache = new WeakMap<object, Json>();

function toToolInput(args: Json): Json {
  if (typeof args !== 'object' || args === null) return toWellFormedJson({ value: args });
  const cached = inputCache.get(args);
  if (cached !== undefined) return cached;
  const input = toWellFormedJson(isJsonObject(args) ? args : { value: args });
  inputCache.set(args, input);
  return input;
}

/** Recursion is safe because the depth of arguments is checked when they arrive. */
function toWellFormedJson(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key.toWellFormed(), toWellFormedJson(item)]),
    );
  }
  return value.map(toWellFormedJson);
}

/** Converts the offered tools to the provider's format. */
export function toProviderTools(
  tools: readonly ToolDescription[],
  names: WireNames,
): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name: names.toWire(name),
    description,
    // Tools describe their parameters as JSON Schema, which only the provider interprets.
    inputSchema: parameters as LanguageModelV4FunctionTool['inputSchema'],
  }));
}

/**
 * Declares the tools called earlier if none is offered now, because some providers reject a conversation that contains
 * calls of undeclared tools.
 */
export function listFormerTools(
  { conversation }: ModelRequest,
  names: WireNames,
): LanguageModelV4FunctionTool[] {
  const called = new Set<string>();
  for (const message of iterateItems(conversation)) {
    if (message.role === 'assistant') for (const { tool } of message.calls) called.add(tool);
  }
  return [...called].map((tool) => ({
    type: 'function',
    name: names.toWire(tool),
    description: 'No longer available.',
    inputSchema: { type: 'object', properties: {} },
  }));
}

/** Maps call ids to ids that every provider accepts. */
type WireIds = {
  /** Returns the id for a call; must be called once per call, in conversation order. */
  call(id: string): string;
  /** Returns the id of the latest call with this original id. */
  result(id: string): string;
};

/** The strictest length limit and character set of all providers. */
const wireIdPattern = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Providers permanently reject a conversation with duplicate or malformed call ids. Both occur when a conversation
 * moves between providers, or when a provider numbers the calls of each reply from zero. Such an id is replaced with
 * one derived from its position, which is the same in every request.
 */
function createWireIds(): WireIds {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  let count = 0;
  return {
    call(id) {
      count += 1;
      let wire = id;
      for (let tries = 0; !wireIdPattern.test(wire) || used.has(wire); tries += 1) {
        wire = tries === 0 ? `call_${count}` : `call_${count}_${tries}`;
      }
      used.add(wire);
      latest.set(id, wire);
      return wire;
    },
    result: (id) => latest.get(id) ?? id,
  };
}
