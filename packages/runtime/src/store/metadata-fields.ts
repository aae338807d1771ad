import type { Json } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';

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
