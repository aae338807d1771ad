import type { Json } from '@pawl/core';
import * as z from 'zod';
import { toPrintableLine } from '../text/one-line.ts';
import { computeToolFingerprint } from './fingerprint.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import type { McpLimits, McpServer } from './mcp-server.ts';
import { qualifyToolName } from './tool-name.ts';
import { sanitizeServerText } from './untrusted-text.ts';

/** A tool offered by a server, sanitized for display and for the model. */
export type OfferedTool = {
  /** The name shown to the model. */
  readonly name: string;
  /** The server's own name for the tool. */
  readonly original: string;
  readonly description: string;
  readonly parameters: Json;
  readonly fingerprint: string;
};

export type ToolOffer = {
  readonly tools: readonly OfferedTool[];
  /** Which tools were skipped, and why. */
  readonly problems: readonly string[];
};

const offeredToolSchema = z.looseObject({
  name: z.string().min(1).max(1_000),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
});

/** Parses a tool list. An invalid tool is skipped; the others stay usable. */
export function parseToolOffer(server: McpServer, listed: readonly unknown[], limits: McpLimits): ToolOffer {
  const tools = new Map<string, OfferedTool>();
  const problems: string[] = [];
  for (const listedTool of listed.slice(0, limits.tools)) {
    const tool = parseOfferedTool(server, listedTool, limits);
    if ('problem' in tool) problems.push(tool.problem);
    else if (tools.has(tool.name)) problems.push(`${tool.name} is listed twice; the second one is skipped.`);
    else tools.set(tool.name, tool);
  }
  if (listed.length > limits.tools)
    problems.push(`${server.name} offers more than ${limits.tools} tools; the others are skipped.`);
  return { tools: [...tools.values()], problems };
}

function parseOfferedTool(
  server: McpServer,
  listedTool: unknown,
  limits: McpLimits,
): OfferedTool | { readonly problem: string } {
  const skipTool = (reason: string): { readonly problem: string } => {
    const name =
      typeof listedTool === 'object' && listedTool !== null && 'name' in listedTool
        ? listedTool.name
        : undefined;
    const shown = typeof name === 'string' ? toPrintableLine(name, 60) : 'without a name';
    return { problem: `Skipped a tool of ${server.name} (${shown}): ${reason}` };
  };
  // Check before any code recurses into it.
  if (isDeeperThan(listedTool, limits.schemaDepth + 2)) return skipTool('it is nested too deeply.');
  const parsed = offeredToolSchema.safeParse(listedTool);
  if (!parsed.success) return skipTool('its description does not follow the protocol.');
  const { name: original, description = '', inputSchema } = parsed.data;
  const size = JSON.stringify(inputSchema).length;
  if (size > limits.schemaChars) return skipTool(`its parameter schema has ${size} characters.`);
  if (!hasOnlyLocalRefs(inputSchema)) return skipTool('its parameter schema refers to another document.');
  return {
    name: qualifyToolName(server.name, original),
    original,
    description: sanitizeServerText(description, limits.descriptionChars),
    // Safe cast: it was parsed from JSON.
    parameters: sanitizeSchema(inputSchema, limits) as Json,
    fingerprint: computeToolFingerprint(server, listedTool),
  };
}

function hasOnlyLocalRefs(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(hasOnlyLocalRefs);
  return Object.entries(schema).every(([key, part]) =>
    (key === '$ref' || key === '$dynamicRef') && typeof part === 'string'
      ? part.startsWith('#')
      : hasOnlyLocalRefs(part),
  );
}

/** Sanitizes the prose of a schema; keywords with a meaning for validators stay unchanged. */
function sanitizeSchema(schema: unknown, limits: McpLimits): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((part) => sanitizeSchema(part, limits));
  return Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [
      key,
      typeof part === 'string' && (key === 'description' || key === 'title' || key === '$comment')
        ? sanitizeServerText(part, limits.descriptionChars)
        : sanitizeSchema(part, limits),
    ]),
  );
}
