import type { Json } from '@pawl/core';

/** A part of a message, for frameworks whose messages no parser reads. */
export type MessagePart =
  | { readonly text: string }
  | { readonly call: { readonly id?: string | undefined; readonly name: string; readonly args: unknown } }
  | {
      readonly result: {
        readonly id?: string | undefined;
        readonly name: string;
        readonly output: unknown;
        /** Set if the framework marks the call as failed; otherwise the governor reads the output. */
        readonly isError?: boolean | undefined;
      };
    };

/**
 * Writes a message in the format of Anthropic, which the governor reads. A call without an id gets its tool's name and a
 * number, which match those of its result, because results follow in the order of the calls.
 */
export function toAnthropicMessage(role: 'user' | 'assistant', parts: readonly MessagePart[]): Json {
  const counts = new Map<string, number>();
  const createId = (name: string): string => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return `${name}:${count}`;
  };
  const content = parts.map((part): Json => {
    if ('text' in part) return { type: 'text', text: part.text };
    if ('call' in part) {
      const { name, args, id = createId(name) } = part.call;
      return { type: 'tool_use', id, name, input: (args ?? {}) as Json };
    }
    const { name, output, isError, id = createId(name) } = part.result;
    const result = { type: 'tool_result', tool_use_id: id, content: toResultText(output) };
    return isError === true ? { ...result, is_error: true } : result;
  });
  return { role, content };
}

function toResultText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}
