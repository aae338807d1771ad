import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider';
import { items, type AssistantMessage, type Json, type ToolMessage } from '@pawl/core';
import { isObject } from '../../protocols/fields.ts';
import { resultText } from '../../protocols/native.ts';
import type { ToolDescription } from '../../tools/tool.ts';
import type { ModelRequest } from '../model.ts';
import type { Attachments } from './attachments.ts';
import { createWireIds, type WireIds } from './wire-ids.ts';
import type { WireNames } from './wire-names.ts';

export type PromptContext = { readonly names: WireNames; readonly attachments: Attachments };

/**
 * The prompt that a request comes to. Providers refuse a message without a word in it, one of the user after another from
 * some local models' templates, and an assistant's message in the last place; none of these go out.
 */
export function promptFor(request: ModelRequest, context: PromptContext): LanguageModelV4Prompt {
  const ids = createWireIds();
  const said: LanguageModelV4Message[] = [];
  for (const message of items(request.conversation)) {
    if (message.role === 'user') addUser(said, message.text);
    else if (message.role === 'assistant') addAssistant(said, message, { ...context, ids });
    else addResult(said, message, context.names, ids);
  }
  const system = cleanText(request.system);
  const stored = said.at(-1);
  if (stored !== undefined) stored.providerOptions = cacheUpToHere;
  addUser(said, request.state ?? request.advice ?? '');
  const last = said.at(-1)?.role;
  if (last === undefined || last === 'assistant') addUser(said, 'Go on.');
  return system === ''
    ? said
    : [{ role: 'system', content: system, providerOptions: cacheUpToHere }, ...said];
}

/** Anthropic reads again at a tenth of the price what it is told to keep; the others keep it unasked. */
const cacheUpToHere = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** A lone half of a surrogate pair is no text that JSON parsers take; what is all white space is not there. */
function cleanText(text: string): string {
  return text.trim() === '' ? '' : text.toWellFormed();
}

function addUser(said: LanguageModelV4Message[], text: string): void {
  const clean = cleanText(text);
  if (clean === '') return;
  const before = said.at(-1);
  const part = before?.role === 'user' ? before.content[0] : undefined;
  if (part?.type === 'text') part.text = `${part.text}\n\n${clean}`;
  else said.push({ role: 'user', content: [{ type: 'text', text: clean }] });
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

function addAssistant(
  said: LanguageModelV4Message[],
  { text, calls }: AssistantMessage,
  { names, attachments, ids }: PromptContext & { readonly ids: WireIds },
): void {
  const clean = cleanText(text);
  const reasoning = attachments.reasoningBefore(calls[0]?.id ?? '');
  const content: AssistantContent = [
    ...reasoning.map((part) => ({
      type: 'reasoning' as const,
      text: part.text,
      providerOptions: part.attached,
    })),
    // Some refuse white space at the end of what an assistant says.
    ...(clean === '' ? [] : [{ type: 'text' as const, text: clean.trimEnd() }]),
    ...calls.map(({ id, tool, args }): LanguageModelV4ToolCallPart => {
      const attached = attachments.ofCall(id);
      return {
        type: 'tool-call',
        toolCallId: ids.call(id),
        toolName: names.toWire(tool),
        input: inputOf(args),
        ...(attached !== undefined && { providerOptions: attached }),
      };
    }),
  ];
  if (content.length > 0) said.push({ role: 'assistant', content });
}

function addResult(
  said: LanguageModelV4Message[],
  { callId, tool, outcome }: ToolMessage,
  names: WireNames,
  ids: WireIds,
): void {
  const text = cleanText(resultText(outcome));
  const value = text === '' ? '(no output)' : text;
  const part = {
    type: 'tool-result' as const,
    toolCallId: ids.result(callId),
    toolName: names.toWire(tool),
    output: outcome.ok ? { type: 'text' as const, value } : { type: 'error-text' as const, value },
  };
  const before = said.at(-1);
  if (before?.role === 'tool') before.content.push(part);
  else said.push({ role: 'tool', content: [part] });
}

/** Messages never change, and all of them are sent in every step: what was gone through once is kept as long as they are. */
const inputs = new WeakMap<object, Json>();

function inputOf(args: Json): Json {
  if (typeof args !== 'object' || args === null) return wellFormed({ value: args });
  const known = inputs.get(args);
  if (known !== undefined) return known;
  const input = wellFormed(isObject(args) ? args : { value: args });
  inputs.set(args, input);
  return input;
}

/** Arguments are checked for their depth when they come in, so that going down by calls is safe. */
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
    );
  }
  return value.map(wellFormed);
}

/** The tools on offer as a provider takes them. */
export function toolsFor(tools: readonly ToolDescription[], names: WireNames): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name: names.toWire(name),
    description,
    // Tools describe their parameters in JSON Schema; the provider looks at it, and nobody here.
    inputSchema: parameters as LanguageModelV4FunctionTool['inputSchema'],
  }));
}

/**
 * Tools that were called before, when none is on offer now: some providers refuse a conversation with calls of tools that
 * the request does not name.
 */
export function formerTools({ conversation }: ModelRequest, names: WireNames): LanguageModelV4FunctionTool[] {
  const called = new Set<string>();
  for (const message of items(conversation)) {
    if (message.role === 'assistant') for (const { tool } of message.calls) called.add(tool);
  }
  return [...called].map((tool) => ({
    type: 'function',
    name: names.toWire(tool),
    description: 'No longer available.',
    inputSchema: { type: 'object', properties: {} },
  }));
}
