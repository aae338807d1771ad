import type { Json } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';

/** Returns a metadata field of a session if it is a string. */
export function getMetadataText(about: Json, key: string): string | null {
  const text = getMetadataValue(about, key);
  return typeof text === 'string' ? text : null;
}

/** Returns the tools that a run offered its model, if the metadata records them. */
export function getMetadataTools(about: Json): readonly ToolDescription[] | null {
  const tools = getMetadataValue(about, 'tools');
  return Array.isArray(tools) && tools.every(isToolDescription) ? tools : null;
}

function getMetadataValue(about: Json, key: string): unknown {
  if (about === null || typeof about !== 'object' || !Object.hasOwn(about, key)) return null;
  return Reflect.get(about, key);
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
