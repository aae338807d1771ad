import type {
  LanguageModelV3StreamPart,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { RequestedCall } from '@pawl/core';
import type { ModelChunk } from '../model.ts';
import type { Attached, ReasoningPart } from './attachments.ts';
import { createThinkFilter, type ThinkFilter } from './think-filter.ts';
import type { WireNames } from './wire-names.ts';

export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

type ToolCallPart = Extract<StreamPart, { type: 'tool-call' }>;

export type SentCall = { readonly call: RequestedCall; readonly attached: Attached | undefined };

/** All that came of one reply. */
export type Sent = {
  readonly text: string;
  readonly calls: readonly SentCall[];
  readonly reasoning: readonly ReasoningPart[];
  /** The first thing that went wrong on the way. */
  readonly error: { readonly thrown: unknown } | null;
  /** How the provider says that the reply ended; null when it does not. */
  readonly finish: {
    readonly reason: LanguageModelV4FinishReason;
    readonly usage: LanguageModelV4Usage;
  } | null;
};

/** Takes a reply part by part. */
export class PartCollector {
  readonly #names: WireNames;
  readonly #aloud: ThinkFilter = createThinkFilter();
  readonly #calls: SentCall[] = [];
  readonly #reasoning = new Map<string, ReasoningPart>();
  readonly #inputs = new Map<string, { readonly tool: string; bytes: number }>();
  #text = '';
  #bytes = 0;
  #error: Sent['error'] = null;
  #finish: Sent['finish'] = null;

  constructor(names: WireNames) {
    this.#names = names;
  }

  /** What the reply holds so far, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  sent(): Sent {
    return {
      text: this.#text,
      calls: this.#calls,
      reasoning: [...this.#reasoning.values()],
      error: this.#error,
      finish: this.#finish,
    };
  }

  /** Takes a part and gives what of it is for showing, or null. */
  take(part: StreamPart): ModelChunk | null {
    switch (part.type) {
      case 'text-delta':
        return this.#say(part.delta);
      case 'reasoning-start':
      case 'reasoning-end':
        return this.#think(part.id, '', part.providerMetadata);
      case 'reasoning-delta':
        return this.#think(part.id, part.delta, part.providerMetadata);
      case 'tool-input-start':
        this.#inputs.set(part.id, { tool: this.#names.fromWire(part.toolName), bytes: 0 });
        return this.#write(part.id, '');
      case 'tool-input-delta':
        return this.#write(part.id, part.delta);
      case 'tool-call':
        return this.#call(part);
      case 'error':
        this.#error ??= { thrown: part.error };
        return null;
      case 'finish':
        this.#finish = { reason: part.finishReason, usage: part.usage };
        return null;
      default:
        // Files, sources and the like: nothing that was asked for.
        return null;
    }
  }

  #count(piece: string): number {
    const size = Buffer.byteLength(piece);
    this.#bytes += size;
    return size;
  }

  #say(piece: string): ModelChunk | null {
    this.#text += piece;
    this.#count(piece);
    const text = this.#aloud.push(piece);
    return text === '' ? null : { type: 'text', text };
  }

  #think(id: string, piece: string, attached: Attached | undefined): null {
    const before = this.#reasoning.get(id) ?? { text: '', attached: {} };
    this.#reasoning.set(id, { text: before.text + piece, attached: merged(before.attached, attached) });
    this.#count(piece);
    return null;
  }

  #write(id: string, piece: string): ModelChunk | null {
    const input = this.#inputs.get(id);
    if (input === undefined) return null;
    input.bytes += this.#count(piece);
    return { type: 'call', callId: id, tool: input.tool, fragment: piece };
  }

  #call({ toolCallId, toolName, input, providerExecuted, providerMetadata }: ToolCallPart): null {
    // What the provider runs by itself is not ours to run.
    if (providerExecuted === true) return null;
    this.#bytes += Math.max(0, Buffer.byteLength(input) - (this.#inputs.get(toolCallId)?.bytes ?? 0));
    const call = { id: toolCallId, tool: this.#names.fromWire(toolName), args: input };
    this.#calls.push({ call, attached: providerMetadata });
    return null;
  }
}

/** What is attached to one part comes in pieces: a signature at its end, an id at its beginning. */
function merged(before: Attached, added: Attached | undefined): Attached {
  if (added === undefined) return before;
  const names = Object.keys({ ...before, ...added });
  return Object.fromEntries(names.map((name) => [name, { ...before[name], ...added[name] }]));
}
