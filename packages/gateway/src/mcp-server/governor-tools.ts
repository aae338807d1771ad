import type { McpServer } from '@modelcontextprotocol/server';
import { createTracker, type LoopTracker } from '@pawl/governor/tracker';
import * as z from 'zod';
import { toMcpToolResult } from './tool-result.ts';

const sessionNameSchema = z
  .string()
  .min(1)
  .max(200)
  .default('default')
  .describe('Name of the agent, if one client reports for several agents.');

const stuckReportSchema = z.object({
  stuck: z.boolean(),
  severity: z.enum(['none', 'advise', 'block', 'ask', 'stop']),
  rule: z.string().nullable(),
  reason: z.string(),
  advice: z.string(),
  evidence: z.array(z.number()),
});

const observedCallSchema = z.object({
  session: sessionNameSchema,
  tool: z.string().min(1).describe('Name of the tool that was called.'),
  args: z.json().optional().describe('Arguments of the call.'),
  success: z.boolean().default(true).describe('Whether the call succeeded.'),
  output: z.json().optional().describe('Output of the call. Omit it if it is unknown.'),
  error: z.string().optional().describe('Error message, if the call failed.'),
});

/** Registers the governor as tools: a client reports calls and learns whether the work progresses. */
export function registerGovernorTools(server: McpServer, trackers: TrackerLookup): void {
  server.registerTool(
    'observe',
    {
      title: 'Report a tool call to the governor',
      description:
        'Call this after each of your own tool calls, with its result. Returns whether the work makes progress, and advice if it is stuck.',
      inputSchema: observedCallSchema,
      outputSchema: stuckReportSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    ({ session: name, tool, args, success, output, error }) => {
      const tracker = trackers(name);
      const isFailure = !success || (error !== undefined && error !== '');
      tracker.recordToolCall({
        tool,
        args,
        success: !isFailure,
        ...(error !== undefined && { error }),
        ...(output !== undefined && { output }),
      });
      return toMcpToolResult({ ...tracker.stuck(), evidence: [...tracker.stuck().evidence] });
    },
  );
  server.registerTool(
    'verdict',
    {
      title: 'Check whether the work is stuck',
      description: 'Returns the current verdict of the governor and the number of calls reported so far.',
      inputSchema: z.object({ session: sessionNameSchema }),
      outputSchema: stuckReportSchema.extend({ calls: z.number() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ session: name }) => {
      const tracker = trackers(name);
      const report = tracker.stuck();
      return toMcpToolResult({ ...report, evidence: [...report.evidence], calls: tracker.progress().calls });
    },
  );
}

/** The loop trackers of a client's agents, by name, for the lifetime of the server. */
export type TrackerLookup = (name: string) => LoopTracker<'pawl'>;

/** Maximum number of trackers; the least recently used one is evicted. */
const maxTrackers = 64;

export function createTrackerLookup(now: () => number): TrackerLookup {
  const trackers = new Map<string, LoopTracker<'pawl'>>();
  return (name) => {
    const tracker = trackers.get(name) ?? createTracker({ sessionId: name, preset: 'pawl', now });
    trackers.delete(name);
    trackers.set(name, tracker);
    const [oldest] = trackers.keys();
    if (trackers.size > maxTrackers && oldest !== undefined) trackers.delete(oldest);
    return tracker;
  };
}
