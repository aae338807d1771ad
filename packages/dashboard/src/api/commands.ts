import * as z from 'zod';
import { requestIdSchema } from './shared-schemas.ts';

const requestId = requestIdSchema.optional();
const commandTextSchema = z.string().min(1).max(10_000);
/** Used when the user gives no reason. */
const requiredReason = commandTextSchema.default('the user asked for it');
const optionalReason = z.exactOptional(commandTextSchema);

/** Commands that a user can send to a session, regardless of which process runs it. */
export const commandSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({ requestId, kind: z.literal('say'), text: z.string().min(1).max(100_000) })
      .describe('A message; while work is under way, the model hears it when it is asked next.'),
    z
      .strictObject({
        requestId,
        kind: z.literal('decide'),
        callId: z.string().max(1_000),
        decision: z.enum(['allow', 'deny']),
        reason: optionalReason,
        request: z
          .exactOptional(z.int())
          .describe('Which question it answers, where a model uses an id twice.'),
      })
      .describe('Answers a call that waits for permission.'),
    z
      .strictObject({ requestId, kind: z.literal('pause'), reason: requiredReason })
      .describe('Starts nothing new until it is resumed.'),
    z
      .strictObject({ requestId, kind: z.literal('resume') })
      .describe('Goes on with what was paused, or with a fork that stands still.'),
    z
      .strictObject({ requestId, kind: z.literal('finish'), reason: requiredReason })
      .describe('One last model call without tools, then the answer.'),
    z
      .strictObject({ requestId, kind: z.literal('cancel'), reason: optionalReason })
      .describe('Calls off the work of this turn.'),
    z
      .strictObject({ requestId, kind: z.literal('halt'), reason: requiredReason })
      .describe('Ends the session for good.'),
    z
      .strictObject({
        requestId,
        kind: z.literal('phase'),
        number: z.int().min(1).max(1_000_000),
        description: z.string().min(1).max(10_000),
      })
      .describe('Begins another phase.'),
    z
      .strictObject({
        requestId,
        kind: z.literal('memory'),
        action: z.enum(['pin', 'unpin', 'evict']),
        key: z.string().min(1).max(10_000),
      })
      .describe('Keeps an entry of working memory where it is, lets it go again, or moves it to storage.'),
  ])
  .meta({ id: 'Command' });

export type CommandRequest = z.input<typeof commandSchema>;
