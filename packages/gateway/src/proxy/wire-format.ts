import type { Json } from '@pawl/governor';
import { type JsonFields, toJsonFields, getStringField } from '../json-fields.ts';
import type { UnsentItems } from './conversations.ts';

/** Token usage of a reply, as reported by the provider. */
export type ProviderTokenUsage = { readonly input_tokens: number; readonly output_tokens: number };

/** A call in a reply that passed through the proxy. */
export type ObservedToolCall = { readonly id: string; readonly tool: string };

/** A reply that passed through the proxy. */
export type ObservedReply = {
  readonly text: string;
  readonly calls: readonly ObservedToolCall[];
  readonly usage: ProviderTokenUsage | null;
  /** For APIs that refer to a reply by id instead of repeating it: that id, and the reply's items. */
  readonly reference: { readonly id: string; readonly items: readonly Json[] } | null;
};

/** Reads a streamed reply. */
export type ReplyReader = {
  /** Reads one event of the stream; returns the text it adds. */
  read(event: JsonFields): string;
  getReply(): ObservedReply;
  /** Returns the events that properly end a truncated stream. */
  formatEnding(framing: StreamFraming): string;
};

/** How a stream separates its events. */
export type StreamFraming = 'sse' | 'json-array';

/** A tool that a request offers, with the JSON schema of its parameters. */
export type RequestTool = { readonly name: string; readonly parameters: JsonFields };

/** A call in a reply of the proxy itself. */
export type RequestedProxyCall = { readonly tool: string; readonly args: JsonFields };

/** A reply that the proxy gives instead of the model. */
export type ProxyReply = {
  /** A random hexadecimal string, for the ids of the reply and its items. */
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  readonly text: string;
  readonly call: RequestedProxyCall | null;
};

/** A reply as sent over HTTP: one JSON value, or a stream. */
export type FormattedReply = {
  readonly contentType: string;
  readonly body: string;
  /** As in `ObservedReply`. */
  readonly reference: ObservedReply['reference'];
};

/** A model API over HTTP. No method throws, whatever the input. */
export type WireFormat = {
  readonly name: string;
  /** Returns whether requests to this path use the format. */
  readonly matchesPath: (path: string) => boolean;
  /** Returns whether the request asks for a stream. */
  readonly isStreamed: (body: JsonFields, url: string) => boolean;
  /** Returns the name of the requested model; empty if there is none. */
  readonly getModel: (body: JsonFields, url: string) => string;
  /** The instructions that precede the conversation and belong to it. */
  readonly getInstructions: (body: JsonFields) => Json;
  /** The conversation so far, as messages that the governor reads; null if it is not a conversation. */
  readonly getMessages: (body: JsonFields, before: readonly Json[]) => readonly JsonFields[] | null;
  /** The functions that the request offers. */
  readonly getTools: (body: JsonFields) => readonly RequestTool[];
  /** The id of the reply that this request continues without repeating it; null if there is none. */
  readonly getPreviousReplyId: (body: JsonFields) => string | null;
  /** The items that this request adds, for APIs that do not repeat the history. */
  readonly getNewItems: (body: JsonFields) => readonly Json[];
  /** Adds items that the server has not seen, for APIs that do not repeat the history. */
  readonly addUnsentItems: (body: JsonFields, unsent: UnsentItems) => JsonFields;
  readonly addAdvice: (body: JsonFields, advice: string) => JsonFields;
  /** Removes all tools but the named ones. */
  readonly keepTools: (body: JsonFields, names: readonly string[]) => JsonFields;
  /** Parses a non-streamed reply. */
  readonly parseReply: (body: JsonFields) => ObservedReply;
  readonly createReader: () => ReplyReader;
  /** Whether a stream may be a JSON array. */
  readonly streamsJsonArrays: boolean;
  /** Formats a reply of the proxy itself as the request asks for it, streamed or not. */
  readonly formatReply: (reply: ProxyReply, body: JsonFields, url: string) => FormattedReply;
  /** Formats an error of the proxy itself. */
  readonly formatError: (status: number, message: string) => JsonFields;
};

/** Formats a reply that is one JSON value. */
export function formatJsonReply(body: Json): FormattedReply {
  return { contentType: 'application/json', body: JSON.stringify(body), reference: null };
}

/** Formats a reply that is a stream of events, with their type as their name. */
export function formatEventReply(
  events: readonly ({ readonly type: string } & JsonFields)[],
): FormattedReply {
  return {
    contentType: 'text/event-stream',
    body: events.map((event) => formatSseEvent(event, event.type)).join(''),
    reference: null,
  };
}

/** Formats one event of a stream. */
export function formatSseEvent(data: Json, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** Returns the text of a message's content: a string, or blocks of which some are text. */
export function joinTextBlocks(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: Json) => getStringField(toJsonFields(block) ?? {}, 'text')).join('');
}

/** Converts a list to objects; null if it contains other values or is empty. */
export function toFieldsList(list: readonly Json[]): readonly JsonFields[] | null {
  const all = list.map(toJsonFields).filter((each) => each !== null);
  return all.length === 0 || all.length < list.length ? null : all;
}
