import * as z from 'zod';
import { requestIdSchema, jsonSchema } from './shared-schemas.ts';

const requestId = requestIdSchema.optional();
const commandTextSchema = z.string().min(1).max(10_000);
/** Used when the user gives no reason. */
const requiredReason = commandTextSchema.default('requested by the user');
const optionalReason = z.exactOptional(commandTextSchema);

/** Commands that a user can send to a session, regardless of which process runs it. */
export const commandSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({ requestId, kind: z.literal('say'), text: z.string().min(1).max(100_000) })
      .describe(
        'Sends a message. While the session is working, the model receives it with its next request.',
      ),
    z
      .strictObject({
        requestId,
        kind: z.literal('decide'),
        callId: z.string().max(1_000),
        decision: z.enum(['allow', 'deny']),
        reason: optionalReason,
        request: z
          .exactOptional(z.int())
          .describe('Number of the model request, needed if the model reuses a call id.'),
      })
      .describe('Allows or denies a call that waits for approval.'),
    z
      .strictObject({ requestId, kind: z.literal('pause'), reason: requiredReason })
      .describe('Pauses the session: nothing new is started until it is resumed.'),
    z.strictObject({ requestId, kind: z.literal('resume') }).describe('Resumes a paused session or a fork.'),
    z
      .strictObject({ requestId, kind: z.literal('finish'), reason: requiredReason })
      .describe('Requests the final answer with one last model call without tools.'),
    z
      .strictObject({ requestId, kind: z.literal('cancel'), reason: optionalReason })
      .describe('Cancels the current turn.'),
    z
      .strictObject({ requestId, kind: z.literal('halt'), reason: requiredReason })
      .describe('Closes the session.'),
    z
      .strictObject({
        requestId,
        kind: z.literal('phase'),
        number: z.int().min(1).max(1_000_000),
        description: z.string().min(1).max(10_000),
      })
      .describe('Starts a new phase.'),
    z
      .strictObject({
        requestId,
        kind: z.literal('memory'),
        action: z.enum(['pin', 'unpin', 'evict']),
        key: z.string().min(1).max(10_000),
      })
      .describe('Pins or unpins an entry of working memory, or moves it to storage.'),
  ])
  .meta({ id: 'Command' });

export type CommandRequest = z.input<typeof commandSchema>;

const approvalSchema = z
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
