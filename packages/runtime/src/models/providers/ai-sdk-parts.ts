import type {
  LanguageModelV3StreamPart,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { RequestedCall } from '@pawl/core';
import type { ModelChunk, ModelResponse } from '../model.ts';
import { toPrintableLine } from '../../text/one-line.ts';
import type { ToolDescription } from '../../tools/tool.ts';

export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

type ToolCallPart = Extract<StreamPart, { type: 'tool-call' }>;

export type CollectedCall = { readonly call: RequestedCall; readonly attachment: PartAttachment | undefined };

/** All collected parts of one reply. */
export type CollectedReply = {
  readonly text: string;
  readonly calls: readonly CollectedCall[];
  readonly reasoning: readonly ReasoningPart[];
  /** The first error in the stream. */
  readonly error: { readonly thrown: unknown } | null;
  /** The finish reason and usage; null if the provider did not send them. */
  readonly finish: {
    readonly reason: LanguageModelV4FinishReason;
    readonly usage: LanguageModelV4Usage;
  } | null;
  readonly response: ModelResponse;
};

/** Collects the parts of a streamed reply. */
export class PartCollector {
  readonly #names: WireNames;
  readonly #thinkFilter: ThinkFilter = createThinkFilter();
  readonly #calls: CollectedCall[] = [];
  readonly #reasoning = new Map<string, ReasoningPart>();
  readonly #inputs = new Map<string, { readonly tool: string; bytes: number }>();
  #text = '';
  #bytes = 0;
  #error: CollectedReply['error'] = null;
  #finish: CollectedReply['finish'] = null;
  #response: ModelResponse = {};

  constructor(names: WireNames) {
    this.#names = names;
  }

  /** Size of the reply so far. */
  get bytes(): number {
    return this.#bytes;
  }

  getReply(): CollectedReply {
    return {
      text: this.#text,
      calls: this.#calls,
      reasoning: [...this.#reasoning.values()],
      error: this.#error,
      finish: this.#finish,
      response: this.#response,
    };
  }

  /** Adds a part and returns the chunk to display, or null. */
  addPart(part: StreamPart): ModelChunk | null {
    switch (part.type) {
      case 'text-delta':
        return this.#addText(part.delta);
      case 'reasoning-start':
      case 'reasoning-end':
        return this.#addReasoning(part.id, '', part.providerMetadata);
      case 'reasoning-delta':
        return this.#addReasoning(part.id, part.delta, part.providerMetadata);
      case 'tool-input-start':
        this.#inputs.set(part.id, { tool: this.#names.fromWire(part.toolName), bytes: 0 });
        return this.#addInput(part.id, '');
      case 'tool-input-delta':
        return this.#addInput(part.id, part.delta);
      case 'tool-call':
        return this.#addCall(part);
      case 'error':
        this.#error ??= { thrown: part.error };
        return null;
      case 'finish':
        this.#finish = { reason: part.finishReason, usage: part.usage };
        this.#response = { ...this.#response, finishReason: part.finishReason.unified };
        return null;
      case 'response-metadata':
        this.#response = { ...this.#response, ...toModelResponse(part) };
        return null;
      default:
        // Files, sources and other parts that were not requested.
        return null;
    }
  }

  #countBytes(chunk: string): number {
    const size = Buffer.byteLength(chunk);
    this.#bytes += size;
    return size;
  }

  #addText(chunk: string): ModelChunk | null {
    this.#text += chunk;
    this.#countBytes(chunk);
    const text = this.#thinkFilter.push(chunk);
    return text === '' ? null : { type: 'text', text };
  }

  #addReasoning(id: string, chunk: string, attachment: PartAttachment | undefined): null {
    const before = this.#reasoning.get(id) ?? { text: '', attachment: {} };
    this.#reasoning.set(id, {
      text: before.text + chunk,
      attachment: mergeAttachments(before.attachment, attachment),
    });
    this.#countBytes(chunk);
    return null;
  }

  #addInput(id: string, chunk: string): ModelChunk | null {
    const input = this.#inputs.get(id);
    if (input === undefined) return null;
    input.bytes += this.#countBytes(chunk);
    return { type: 'call', callId: id, tool: input.tool, fragment: chunk };
  }

  #addCall({ toolCallId, toolName, input, providerExecuted, providerMetadata }: ToolCallPart): null {
    // Calls executed by the provider must not run here.
    if (providerExecuted === true) return null;
    this.#bytes += Math.max(0, Buffer.byteLength(input) - (this.#inputs.get(toolCallId)?.bytes ?? 0));
    const call = { id: toolCallId, tool: this.#names.fromWire(toolName), args: input };
    this.#calls.push({ call, attachment: providerMetadata });
    return null;
  }
}

function toModelResponse({
  id = '',
  modelId = '',
}: Extract<StreamPart, { type: 'response-metadata' }>): ModelResponse {
  return {
    ...(id !== '' && { id: toPrintableLine(id, responseTextMax) }),
    ...(modelId !== '' && { model: toPrintableLine(modelId, responseTextMax) }),
  };
}

/** Maximum length of a response id and of a model name. */
const responseTextMax = 200;

/** Merges the metadata of one part, which arrives in pieces: an id at its start, a signature at its end. */
function mergeAttachments(before: PartAttachment, added: PartAttachment | undefined): PartAttachment {
  if (added === undefined) return before;
  const names = Object.keys({ ...before, ...added });
  return Object.fromEntries(names.map((name) => [name, { ...before[name], ...added[name] }]));
}

/** Removes reasoning blocks from streamed text. */
type ThinkFilter = {
  /** Returns the text to display after this chunk; may be empty. */
  push(chunk: string): string;
};

const thinkTags = ['<think>', '<thinking>'] as const;

/** Limits how much leading whitespace is buffered before a block. */
const undecidedMax = 1_000;

/**
 * Models on local servers write their reasoning into the text, in a leading block. The filter hides it from display;
 * the complete reply is parsed again later, so that an unclosed block is not lost.
 */
export function createThinkFilter(): ThinkFilter {
  let state: 'undecided' | 'inside' | 'through' = 'undecided';
  let buffer = '';
  let closing = '';
  const push = (chunk: string): string => {
    if (state === 'through') return chunk;
    buffer += chunk;
    if (state === 'undecided') {
      const start = buffer.trimStart().toLowerCase();
      const opening = thinkTags.find((each) => start.startsWith(each));
      if (opening === undefined) {
        const isPartialTag = buffer.length < undecidedMax && thinkTags.some((each) => each.startsWith(start));
        if (isPartialTag) return '';
        return passThrough(buffer);
      }
      state = 'inside';
      closing = `</${opening.slice(1)}`;
    }
    const end = buffer.toLowerCase().indexOf(closing);
    if (end !== -1) return passThrough(buffer.slice(end + closing.length).trimStart());
    // Only the end of the buffered text can be the start of the closing tag.
    buffer = buffer.slice(-closing.length);
    return '';
  };
  const passThrough = (text: string): string => {
    state = 'through';
    buffer = '';
    return text;
  };
  return { push };
}

/** Metadata that a provider attaches to a reply part and expects back in later requests. */
type PartAttachment = SharedV4ProviderMetadata;

type ReasoningPart = { readonly text: string; readonly attachment: PartAttachment };

/**
 * Caches signed reasoning and call signatures. Providers verify them in later requests, but they are meaningless to
 * anything else, so they are not part of the conversation. The conversation also works without them, as after a
 * restart.
 */
export type AttachmentCache = {
  setCall(id: string, attachment: PartAttachment): void;
  /** `id` is the id of the reply's first call. */
  setReasoning(id: string, parts: readonly ReasoningPart[]): void;
  getCall(id: string): PartAttachment | undefined;
  getReasoning(id: string): readonly ReasoningPart[];
};

/** Older entries are evicted; conversations are compacted long before they reach this limit. */
const attachmentsMax = 5_000;

export function createAttachmentCache(): AttachmentCache {
  const calls = new Map<string, PartAttachment>();
  const reasoning = new Map<string, readonly ReasoningPart[]>();
  return {
    setCall: (id, attachment) => setBoundedEntry(calls, id, attachment),
    setReasoning: (id, parts) => setBoundedEntry(reasoning, id, parts),
    getCall: (id) => calls.get(id),
    getReasoning: (id) => reasoning.get(id) ?? [],
  };
}

function setBoundedEntry<Value>(entries: Map<string, Value>, id: string, value: Value): void {
  entries.delete(id);
  entries.set(id, value);
  const [oldest] = entries.keys();
  if (entries.size > attachmentsMax && oldest !== undefined) entries.delete(oldest);
}

/** Maps tool names to names that every provider accepts, and back. */
export type WireNames = {
  toWire(tool: string): string;
  fromWire(name: string): string;
};

/** Maximum length that every provider accepts. */
const wireNameMax = 64;
const invalidNameCharacters = /[^a-zA-Z0-9_-]/g;

/** Replaces invalid characters; names that would become equal get a numeric suffix. */
export function createWireNames(tools: readonly ToolDescription[]): WireNames {
  const byTool = new Map<string, string>();
  const byName = new Map<string, string>();
  const add = (tool: string): string => {
    const baseName = toWireName(tool);
    let name = baseName;
    for (let count = 2; byName.has(name); count += 1) {
      const suffix = `_${count}`;
      name = baseName.slice(0, wireNameMax - suffix.length) + suffix;
    }
    byTool.set(tool, name);
    byName.set(name, tool);
    return name;
  };
  // Valid names are added first, so that they stay unchanged.
  const names = [...new Set(tools.map(({ name }) => name))];
  for (const name of names.toSorted((a, b) => Number(toWireName(a) !== a) - Number(toWireName(b) !== b)))
    add(name);
  return {
    toWire: (tool) => byTool.get(tool) ?? add(tool),
    fromWire: (name) => byName.get(name) ?? name,
  };
}

function toWireName(tool: string): string {
  const name = tool.replaceAll(invalidNameCharacters, '_').slice(0, wireNameMax);
  // Google requires a letter or an underscore first.
  return /^[a-zA-Z_]/.test(name) ? name : `_${name}`.slice(0, wireNameMax);
}
