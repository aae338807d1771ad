import type { Json } from '@pawl/core';
import type { Fields } from '../json-fields.ts';

/** What a reply took, as its provider counted it. */
export type TokenUsage = { readonly input_tokens: number; readonly output_tokens: number };

/** A reply as it came by. */
export type SeenReply = {
  readonly text: string;
  /** The ids of the calls it asks for. */
  readonly calls: readonly string[];
  readonly usage: TokenUsage | null;
  /** For those that answer to the id of a reply instead of repeating it: that id, and what the reply was made of. */
  readonly kept: { readonly id: string; readonly items: readonly Json[] } | null;
};

/** Reads a reply that comes in pieces. */
export type ReplyReader = {
  /** Takes in one event of the stream; gives the text that it adds. */
  read(event: Fields): string;
  reply(): SeenReply;
  /** The events that end the stream in good order, for a reply that is cut short. */
  ending(): string;
};

/** One way of speaking with models over HTTP. Nothing here ever throws, whatever was sent. */
export type Wire = {
  readonly name: string;
  /** Whether requests to this path are made in it. */
  readonly isAt: (path: string) => boolean;
  /** What stands before the conversation and belongs to it. */
  readonly instructions: (body: Fields) => Json;
  /** The conversation so far, as messages that the governor reads; null for what is no conversation. */
  readonly messages: (body: Fields, before: readonly Json[]) => readonly Fields[] | null;
  /** The id of the reply that this request goes on from without repeating it; null where it does not. */
  readonly goesOnFrom: (body: Fields) => string | null;
  /** What this request adds to the conversation, for those that do not repeat it. */
  readonly items: (body: Fields) => readonly Json[];
  readonly withAdvice: (body: Fields, advice: string) => Fields;
  readonly withoutTools: (body: Fields) => Fields;
  /** A reply that came in one piece. */
  readonly replyIn: (body: Fields) => SeenReply;
  readonly reader: () => ReplyReader;
};

/** One event of a stream, as text. */
export function eventText(data: Json, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
