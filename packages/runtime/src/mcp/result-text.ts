import { toPrintableLine } from '../text/one-line.ts';
import { capText } from '../tools/output-cap.ts';
import type { ToolResult } from '../tools/tool.ts';
import { isDeeperThan } from '../schema/json-value.ts';
import type { McpLimits } from './mcp-server.ts';

/** A server's unvalidated response to a call. */
export type McpCallResult = {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
};

const blocksMax = 1_000;

/** Converts a response into a tool result: text is passed on, other content is described briefly. */
export function parseMcpCallResult(response: McpCallResult, limits: McpLimits): ToolResult {
  const blocks: readonly unknown[] = Array.isArray(response.content) ? response.content : [];
  const parts = blocks.slice(0, blocksMax).map(formatContentBlock);
  if (blocks.length > blocksMax) parts.push(`[${blocks.length - blocksMax} more content blocks omitted]`);
  if (parts.length === 0 && response.structuredContent !== undefined)
    parts.push(formatStructuredContent(response.structuredContent));
  const text = capText(parts.join('\n').toWellFormed(), limits.resultChars);
  if (response.isError === true)
    return {
      ok: false,
      error: { kind: 'failed', message: text || 'The tool failed without an error message.' },
    };
  return { ok: true, output: text };
}

/** Serializing deeper content could overflow the stack. */
const contentDepthMax = 100;

function formatStructuredContent(content: unknown): string {
  return isDeeperThan(content, contentDepthMax)
    ? '[structured content nested too deeply to show]'
    : JSON.stringify(content);
}

type ContentBlock = { readonly [key: string]: unknown };

function formatContentBlock(block: unknown): string {
  if (!isContentBlock(block)) return describeUnknownBlock(block);
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? block['text'] : describeUnknownBlock(block);
    case 'image':
    case 'audio':
      return `[${block['type']}${formatBlockDetails(block['mimeType'], formatBase64Size(block['data']))}; not shown]`;
    case 'resource':
      return isContentBlock(block['resource'])
        ? formatResource(block['resource'])
        : describeUnknownBlock(block);
    case 'resource_link':
      return `[link to ${formatBlockLabel(block['name'])}: ${formatBlockLabel(block['uri'])}${formatBlockDetails(block['mimeType'])}]`;
    default:
      return describeUnknownBlock(block);
  }
}

function formatResource(resource: ContentBlock): string {
  const { uri, mimeType, text, blob } = resource;
  if (typeof text === 'string')
    return `[resource ${formatBlockLabel(uri)}${formatBlockDetails(mimeType)}]\n${text}`;
  return `[resource ${formatBlockLabel(uri)}${formatBlockDetails(mimeType, formatBase64Size(blob))}; not shown]`;
}

function formatBlockDetails(mimeType: unknown, bytes?: string): string {
  return [typeof mimeType === 'string' ? formatBlockLabel(mimeType) : undefined, bytes]
    .filter((detail) => detail !== undefined)
    .map((detail) => `, ${detail}`)
    .join('');
}

function formatBase64Size(base64: unknown): string | undefined {
  return typeof base64 === 'string' ? `${Math.floor((base64.length * 3) / 4)} bytes` : undefined;
}

function formatBlockLabel(value: unknown): string {
  return typeof value === 'string' ? toPrintableLine(value, 200) : 'unnamed';
}

function describeUnknownBlock(block: unknown): string {
  const kind =
    isContentBlock(block) && typeof block['type'] === 'string'
      ? ` (${toPrintableLine(block['type'], 40)})`
      : '';
  return `[content of an unknown type${kind}; not shown]`;
}

function isContentBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Matches characters that move the cursor, are invisible or change the text direction. Newlines, tabs and the emoji
 * variation selector are allowed.
 */
const invisiblePattern = /(?![\n\t]|\u{fe0f})[\p{C}\p{DI}\p{Zl}\p{Zp}\u{2800}]/gu;

/** Makes server-written text safe for display and for a model: escapes invisible characters and limits the length. */
export function sanitizeServerText(text: string, charsMax: number): string {
  const start = text
    .slice(0, charsMax)
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(invisiblePattern, escapeInvisible);
  if (text.length <= charsMax && start.length <= charsMax) return start;
  return `${start.slice(0, charsMax - 1).toWellFormed()}…`;
}

function escapeInvisible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
