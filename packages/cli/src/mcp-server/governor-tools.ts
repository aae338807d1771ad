import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { toMcpToolResult } from './tool-result.ts';
import type { TrackerLookup } from './trackers.ts';

const sessionNameSchema = z
  .string()
  .min(1)
  .max(200)
  .default('default')
  .describe('Whose work it is, where one client speaks for several agents.');

const stuckReportSchema = z.object({
  stuck: z.boolean(),
  level: z.enum(['healthy', 'suspect', 'stuck']),
  rule: z.string().nullable(),
  reason: z.string(),
  advice: z.string(),
  evidence: z.array(z.number()),
});

const observedCallSchema = z.object({
  session: sessionNameSchema,
  tool: z.string().min(1).describe('The tool that was called.'),
  args: z.json().optional().describe('Its arguments.'),
  success: z.boolean().default(true).describe('Whether it succeeded.'),
  output: z.json().optional().describe('What it said. Left out, it is not known.'),
  error: z.string().optional().describe('What it said when it failed.'),
});

/** Registers the governor as tools: a client reports calls and learns whether the work progresses. */
export function registerGovernorTools(server: McpServer, trackers: TrackerLookup): void {
  server.registerTool(
    'observe',
    {
      title: 'Tell the governor of a call',
      description:
        'Call this after each tool call of your own, with how it ended. Says whether the work still moves, and what to do when it does not.',
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
      title: 'Ask whether the work still moves',
      description: 'What the governor thinks of the work so far, and how many calls it has been told of.',
      inputSchema: z.object({ session: sessionNameSchema }),
      outputSchema: stuckReportSchema.extend({ calls: z.number() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ session: name }) => {
      const tracker = trackers(name);
      const found = tracker.stuck();
      return toMcpToolResult({ ...found, evidence: [...found.evidence], calls: tracker.progress().calls });
    },
  );
}
