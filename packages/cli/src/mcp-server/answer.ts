import type { CallToolResult } from '@modelcontextprotocol/server';

/** An answer as data, and as text for clients that know of no data. */
export function answer(data: { readonly [name: string]: unknown }): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: { ...data } };
}

export function fault(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
