import type { CallToolResult } from '@modelcontextprotocol/server';

/** Returns the result as structured content, and as text for clients that do not support it. */
export function toMcpToolResult(data: { readonly [name: string]: unknown }): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: { ...data } };
}

export function toMcpToolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
