import type { Json } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';

/** What was written down about a session under a name, if that is text. */
export function textAbout(about: Json, key: string): string | null {
  const text = valueAbout(about, key);
  return typeof text === 'string' ? text : null;
}

/** The tools that a run offered its model, if they were written down. */
export function toolsAbout(about: Json): readonly ToolDescription[] | null {
  const tools = valueAbout(about, 'tools');
  return Array.isArray(tools) && tools.every(isDescription) ? tools : null;
}

function valueAbout(about: Json, key: string): unknown {
  if (about === null || typeof about !== 'object' || !Object.hasOwn(about, key)) return null;
  return Reflect.get(about, key);
}

function isDescription(tool: unknown): tool is ToolDescription {
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
