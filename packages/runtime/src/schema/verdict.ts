import * as z from 'zod';
import { createListSchema, requestedCallSchema } from './parts.ts';

const verdictCallsSchema = createListSchema(requestedCallSchema).describe(
  'The calls to run. Calls that require permission are denied.',
);
const reasonSchema = z.string().describe('The reason, for a user.');

const responseSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('advise').describe('Give the model the advice.') }),
    z.strictObject({
      kind: z
        .literal('block')
        .describe('Give the model the advice; the governor blocks the call from now on.'),
    }),
    z.strictObject({
      kind: z.literal('run').describe('Run these calls before the model is asked again.'),
      calls: verdictCallsSchema,
    }),
    z.strictObject({
      kind: z.literal('recover').describe('Attempt a recovery.'),
      waitMs: z.exactOptional(z.number().min(0)).describe('Recover by waiting this long, in milliseconds.'),
    }),
    z.strictObject({ kind: z.literal('ask').describe('End the turn with a question to the user.') }),
    z.strictObject({
      kind: z.literal('stop').describe('Request one final answer without tools, then halt.'),
    }),
    z.strictObject({ kind: z.literal('halt').describe('End the session at once.') }),
  ])
  .meta({ id: 'Response', description: 'The response that a verdict requests, mildest first.' });

export const verdictSchema = z
  .strictObject({
    severity: z.enum(['advise', 'block', 'ask', 'stop']).describe('Severity of the verdict.'),
    rule: z.string().describe('The rule that matched.'),
    reason: reasonSchema,
    advice: z.string().describe('Advice for the model.'),
    evidence: createListSchema(z.int()).describe('Sequence numbers of the events that support it.'),
    counterEvidence: z
      .exactOptional(createListSchema(z.int()))
      .describe('Sequence numbers of later events that contradict it.'),
    response: responseSchema,
  })
  .meta({ id: 'Verdict', description: 'An assessment of the work so far by a governor rule.' });

export const recoveryOutcomeSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('ask-model').describe('Ask the model again.'),
      advice: z.exactOptional(z.string()).describe("Advice for the model; defaults to the verdict's advice."),
    }),
    z.strictObject({
      kind: z.literal('run-tools').describe('Run these calls first.'),
      calls: verdictCallsSchema,
    }),
    z.strictObject({ kind: z.literal('check').describe('Check the progress again.') }),
    z.strictObject({ kind: z.literal('give-up').describe('End the turn.'), reason: reasonSchema }),
    z.strictObject({
      kind: z.literal('halt').describe('End the session permanently.'),
      reason: reasonSchema,
    }),
  ])
  .meta({ id: 'RecoveryOutcome', description: 'How a recovery ended, which determines the next step.' });

export const haltReasonSchema = z
  .strictObject({
    kind: z.enum(['requested', 'stuck', 'budget', 'phase-failed']).describe('Category of the reason.'),
    reason: reasonSchema,
    rule: z.string().nullable().describe('The rule of the verdict that caused it, if any.'),
  })
  .meta({ id: 'HaltReason', description: 'Why a session ended permanently.' });
