import type { ToolDescription } from '../tools/tool.ts';
import type { Json } from '@pawl/core';
import * as z from 'zod';
import { toPrintableLine } from '../text/one-line.ts';
import { isDeeperThan } from '../schema/json-value.ts';
import { qualifyToolName, type McpLimits, type McpServer } from './mcp-server.ts';
import { sanitizeServerText } from './result-text.ts';
import { createHash } from 'node:crypto';

/** A tool that waits for the user's approval. All texts are sanitized and safe to display. */
export type ToolReview = Omit<OfferedTool, 'original'> & {
  /** `changed`: a different version was approved before. */
  readonly why: 'new' | 'changed';
};

/** Whether a tool may be called: `ready` if its current version is approved, otherwise why not. */
export type ToolApprovalStatus =
  | { readonly kind: 'ready'; readonly tool: OfferedTool }
  | { readonly kind: 'new' | 'changed'; readonly tool: OfferedTool }
  /** The server no longer offers the tool. */
  | { readonly kind: 'gone' };

/** Compares the tools that a server offers with the approved versions. */
export class McpToolRegistry {
  #offered: ReadonlyMap<string, OfferedTool> = new Map();
  #approved: ReadonlyMap<string, string> = new Map();

  update(offered: readonly OfferedTool[], approved: ReadonlyMap<string, string>): void {
    this.#offered = new Map(offered.map((tool) => [tool.name, tool]));
    this.#approved = approved;
  }

  setApproved(approved: ReadonlyMap<string, string>): void {
    this.#approved = approved;
  }

  get reviews(): readonly ToolReview[] {
    return [...this.#offered.values()].flatMap((tool) => {
      const { kind } = this.getStatus(tool.name);
      if (kind !== 'new' && kind !== 'changed') return [];
      const { original: _, ...shown } = tool;
      return [{ ...shown, why: kind }];
    });
  }

  getStatus(name: string): ToolApprovalStatus {
    const tool = this.#offered.get(name);
    if (tool === undefined) return { kind: 'gone' };
    const approved = this.#approved.get(tool.original);
    if (approved === undefined) return { kind: 'new', tool };
    return { kind: approved === tool.fingerprint ? 'ready' : 'changed', tool };
  }

  /** Returns the description for the model. The server's own text is withheld until the tool is approved. */
  describe(name: string): ToolDescription {
    const status = this.getStatus(name);
    if (status.kind === 'ready') {
      const { description, parameters } = status.tool;
      return { name, description, parameters };
    }
    return {
      name,
      description: `Not available: ${unavailableReasons[status.kind]}`,
      parameters: { type: 'object' },
    };
  }
}

/** Why a tool cannot be called, and how to change that. */
export const unavailableReasons: { readonly [Kind in Exclude<ToolApprovalStatus['kind'], 'ready'>]: string } =
  {
    new: 'the user has not approved this tool yet. Continue without it, or ask the user to approve it.',
    changed:
      'its server has changed the definition of this tool since the user approved it. Continue without it, or ask the user to approve it again.',
    gone: 'its server no longer offers this tool. Continue without it.',
  };

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

type ToolOffer = {
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

/**
 * Computes the fingerprint of a tool version: the server's full description of it and how the server is reached.
 * Approvals refer to fingerprints, not to names.
 */
export function computeToolFingerprint(server: McpServer, tool: unknown): string {
  const where =
    'command' in server
      ? { command: server.command, args: server.args ?? [], cwd: server.cwd ?? null }
      : { url: server.url };
  return createHash('sha256').update(stringifySorted({ where, tool })).digest('hex');
}

/** Serializes JSON with sorted object keys. */
function stringifySorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
