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
    about: z.string().describe('The call as a person is to judge it, line by line, nothing left out.'),
    risk: z
      .enum(['looks', 'changes', 'runs', 'unknown'])
      .describe('What the tool can do: look, change files, run anything; unknown for one nobody described.'),
    since: z.number(),
  })
  .meta({ id: 'Approval', description: 'A call that waits for a person to decide.' });

export type ApprovalRequest = z.infer<typeof approvalSchema>;

export const approvalListSchema = z.object({ approvals: z.array(approvalSchema) }).meta({ id: 'Approvals' });

export type ApprovalList = z.infer<typeof approvalListSchema>;
