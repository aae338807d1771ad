import type { Json } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import { serializeJson } from './json-text.ts';
import { StoreError } from './store-error.ts';

/** Limited because every session list reads it. */
const metadataLengthMax = 10_000;

/** Serializes a session's metadata for storage. */
export function serializeMetadata(metadata: Json, where: string): string | null {
  if (metadata === null) return null;
  const text = serializeJson(metadata, where);
  if (text.length <= metadataLengthMax) return text;
  const reason = `its metadata has ${text.length} characters; the limit is ${metadataLengthMax}`;
  throw new StoreError('invalid', where, reason);
}

/** Returns null for unreadable metadata, because the session itself is still usable. */
export function parseMetadata(text: string | null): Json {
  try {
    return text === null ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}

/** Returns a metadata field of a session if it is a string. */
export function getMetadataText(metadata: Json, key: string): string | null {
  const text = getMetadataValue(metadata, key);
  return typeof text === 'string' ? text : null;
}

/** Returns the tools that a run offered its model, if the metadata records them. */
export function getMetadataTools(metadata: Json): readonly ToolDescription[] | null {
  const tools = getMetadataValue(metadata, 'tools');
  return Array.isArray(tools) && tools.every(isToolDescription) ? tools : null;
}

function getMetadataValue(metadata: Json, key: string): unknown {
  if (metadata === null || typeof metadata !== 'object' || !Object.hasOwn(metadata, key)) return null;
  return Reflect.get(metadata, key);
}

function isToolDescription(tool: unknown): tool is ToolDescription {
  return (
    typeof tool === 'object' &&
    tool !== null &&
    'name' in tool &&
    typeof tool.name === 'string' &&
    'description' in tool &&
    typeof tool.description === 'string' &&
    'parameters' in tool
  );
}
