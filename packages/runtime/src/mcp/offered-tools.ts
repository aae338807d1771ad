import type { Json } from '@pawl/core';
import * as z from 'zod';
import { oneLine } from '../schema/one-line.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import type { McpLimits, McpServer } from './mcp-server.ts';
import { toolName } from './tool-name.ts';
import { visibleText } from './untrusted-text.ts';

/** A tool as its server offers it, made fit to be shown and to be put before a model. */
export type OfferedTool = {
  /** As a model calls it. */
  readonly name: string;
  /** As the server calls it. */
  readonly original: string;
  readonly description: string;
  readonly parameters: Json;
  readonly fingerprint: string;
};

export type Offer = {
  readonly tools: readonly OfferedTool[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
};

const said = z.looseObject({
  name: z.string().min(1).max(1_000),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
});

/** Takes what it can of a list of tools. One bad tool costs that tool, not the server. */
export function readOffer(server: McpServer, listed: readonly unknown[], limits: McpLimits): Offer {
  const tools = new Map<string, OfferedTool>();
  const problems: string[] = [];
  for (const each of listed.slice(0, limits.tools)) {
    const read = readTool(server, each, limits);
    if ('problem' in read) problems.push(read.problem);
    else if (tools.has(read.name)) problems.push(`${read.name} is there twice; the second is left out.`);
    else tools.set(read.name, read);
  }
  if (listed.length > limits.tools)
    problems.push(`${server.name} offers more than ${limits.tools} tools; the others are left out.`);
  return { tools: [...tools.values()], problems };
}

function readTool(
  server: McpServer,
  each: unknown,
  limits: McpLimits,
): OfferedTool | { readonly problem: string } {
  const leftOut = (why: string): { readonly problem: string } => {
    const name = typeof each === 'object' && each !== null && 'name' in each ? each.name : undefined;
    const shown = typeof name === 'string' ? oneLine(name, 60) : 'without a name';
    return { problem: `A tool of ${server.name} (${shown}) is left out: ${why}` };
  };
  // Before anything walks through it.
  if (isDeeperThan(each, limits.schemaDepth + 2)) return leftOut('it is nested too deep.');
  const parsed = said.safeParse(each);
  if (!parsed.success) return leftOut('it is not described as the protocol asks.');
  const { name: original, description = '', inputSchema } = parsed.data;
  const size = JSON.stringify(inputSchema).length;
  if (size > limits.schemaChars) return leftOut(`its parameters take ${size} characters to describe.`);
  if (!hasOnlyLocalRefs(inputSchema)) return leftOut('its parameters are described somewhere else.');
  return {
    name: toolName(server.name, original),
    original,
    description: visibleText(description, limits.descriptionChars),
    // It came out of JSON.
    parameters: readable(inputSchema, limits) as Json,
    fingerprint: fingerprintOf(server, each),
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

/** The same schema with its prose made visible. What has a meaning to a validator stays to the letter. */
function readable(schema: unknown, limits: McpLimits): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((part) => readable(part, limits));
  return Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [
      key,
      typeof part === 'string' && (key === 'description' || key === 'title' || key === '$comment')
        ? visibleText(part, limits.descriptionChars)
        : readable(part, limits),
    ]),
  );
}
