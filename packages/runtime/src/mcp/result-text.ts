import { oneLine } from '../schema/one-line.ts';
import { capText } from '../tools/output-cap.ts';
import type { ToolResult } from '../tools/tool.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import type { McpLimits } from './mcp-server.ts';

/** What a server answered to a call, before anything of it is believed. */
export type CallAnswer = {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
};

const blocksMax = 1_000;

/** What a model is told of an answer: its text, and in a word what is not text. */
export function resultOf(answer: CallAnswer, limits: McpLimits): ToolResult {
  const blocks: readonly unknown[] = Array.isArray(answer.content) ? answer.content : [];
  const parts = blocks.slice(0, blocksMax).map(textOf);
  if (blocks.length > blocksMax) parts.push(`[${blocks.length - blocksMax} more pieces left out]`);
  if (parts.length === 0 && answer.structuredContent !== undefined)
    parts.push(structuredText(answer.structuredContent));
  const text = capText(parts.join('\n').toWellFormed(), limits.resultChars);
  if (answer.isError === true)
    return { ok: false, error: { kind: 'failed', message: text || 'The tool failed and did not say why.' } };
  return { ok: true, output: text };
}

/** Deeper than this, writing it out could overflow the stack. */
const depthMax = 100;

function structuredText(content: unknown): string {
  return isDeeperThan(content, depthMax)
    ? '[structured content nested too deep to show]'
    : JSON.stringify(content);
}

type Block = { readonly [key: string]: unknown };

function textOf(block: unknown): string {
  if (!isObject(block)) return unknownKind(block);
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? block['text'] : unknownKind(block);
    case 'image':
    case 'audio':
      return `[${block['type']}${facts(block['mimeType'], bytesIn(block['data']))}; not shown]`;
    case 'resource':
      return isObject(block['resource']) ? resourceText(block['resource']) : unknownKind(block);
    case 'resource_link':
      return `[link to ${label(block['name'])}: ${label(block['uri'])}${facts(block['mimeType'])}]`;
    default:
      return unknownKind(block);
  }
}

function resourceText(resource: Block): string {
  const { uri, mimeType, text, blob } = resource;
  if (typeof text === 'string') return `[resource ${label(uri)}${facts(mimeType)}]\n${text}`;
  return `[resource ${label(uri)}${facts(mimeType, bytesIn(blob))}; not shown]`;
}

function facts(mimeType: unknown, bytes?: string): string {
  return [typeof mimeType === 'string' ? label(mimeType) : undefined, bytes]
    .filter((fact) => fact !== undefined)
    .map((fact) => `, ${fact}`)
    .join('');
}

function bytesIn(base64: unknown): string | undefined {
  return typeof base64 === 'string' ? `${Math.floor((base64.length * 3) / 4)} bytes` : undefined;
}

function label(value: unknown): string {
  return typeof value === 'string' ? oneLine(value, 200) : 'something without a name';
}

function unknownKind(block: unknown): string {
  const kind = isObject(block) && typeof block['type'] === 'string' ? ` (${oneLine(block['type'], 40)})` : '';
  return `[a piece of an unknown kind${kind}; not shown]`;
}

function isObject(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
