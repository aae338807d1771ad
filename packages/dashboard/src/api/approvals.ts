import * as z from 'zod';
import { jsonSchema } from './shared-schemas.ts';

export const approvalSchema = z
  .object({
    session: z.string(),
    goal: z.nullable(z.string()),
    callId: z.string(),
    request: z.int(),
    tool: z.string(),
    args: jsonSchema,
    about: z.string().describe('The complete call as text, line by line, for the user to review.'),
    risk: z
      .enum(['looks', 'changes', 'runs', 'unknown'])
      .describe(
        'Effect of the tool: `looks` only reads, `changes` modifies files, `runs` executes commands; `unknown` for other tools.',
      ),
    since: z.number(),
  })
  .meta({ id: 'Approval', description: 'A tool call that waits for approval.' });

export type ApprovalRequest = z.infer<typeof approvalSchema>;

export const approvalListSchema = z.object({ approvals: z.array(approvalSchema) }).meta({ id: 'Approvals' });

export type ApprovalList = z.infer<typeof approvalListSchema>;
