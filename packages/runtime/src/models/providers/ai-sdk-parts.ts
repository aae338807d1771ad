import type {
  LanguageModelV3StreamPart,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { RequestedCall } from '@pawl/core';
import type { ModelChunk } from '../model.ts';
import type { PartAttachment, ReasoningPart } from './attachments.ts';
import type { WireNames } from './wire-names.ts';

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
