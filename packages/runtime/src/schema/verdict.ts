import * as z from 'zod';
import { createListSchema } from './list.ts';
import { requestedCallSchema } from './parts.ts';

const verdictCallsSchema = createListSchema(requestedCallSchema).describe(
  'The calls to run. What would need permission is denied.',
);
const reasonSchema = z.string().describe('Why, for a person to read.');

const responseSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('advise').describe('Give the model the advice.') }),
    z.strictObject({
      kind: z
        .literal('refuse')
        .describe('Give the model the advice; the governor refuses the call from now on.'),
    }),
    z.strictObject({
      kind: z.literal('run').describe('Run these calls before the model is asked again.'),
      calls: verdictCallsSchema,
    }),
    z.strictObject({
      kind: z.literal('recover').describe('Look for a way out.'),
      waitMs: z.exactOptional(z.number().min(0)).describe('Waiting this long is the way out.'),
    }),
    z.strictObject({ kind: z.literal('ask').describe('End the turn with a question to the user.') }),
    z.strictObject({
      kind: z.literal('finish').describe('Ask for one last answer without tools, then halt.'),
    }),
    z.strictObject({ kind: z.literal('halt').describe('End the session at once.') }),
  ])
  .meta({ id: 'Response', description: 'What a verdict asks to be done about it, mildest first.' });

export const verdictSchema = z
  .strictObject({
    level: z.enum(['suspect', 'stuck']).describe('How grave it is.'),
    rule: z.string().describe('The rule that judged so.'),
    reason: reasonSchema,
    advice: z.string().describe('What the model is told to do instead.'),
    evidence: createListSchema(z.int()).describe('Sequence numbers of the events that prove it.'),
    counterEvidence: z
      .exactOptional(createListSchema(z.int()))
      .describe('Sequence numbers of events since then that speak against it.'),
    response: responseSchema,
  })
  .meta({ id: 'Verdict', description: 'A judgement on the work so far.' });

export const recoveryOutcomeSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('ask-model').describe('Ask the model again.'),
      advice: z.exactOptional(z.string()).describe("What the model is told; the verdict's advice if absent."),
    }),
    z.strictObject({
      kind: z.literal('run-tools').describe('Run these calls first.'),
      calls: verdictCallsSchema,
    }),
    z.strictObject({ kind: z.literal('check').describe('Check the progress again.') }),
    z.strictObject({ kind: z.literal('give-up').describe('End the turn.'), reason: reasonSchema }),
    z.strictObject({ kind: z.literal('halt').describe('End the session for good.'), reason: reasonSchema }),
  ])
  .meta({ id: 'RecoveryOutcome', description: 'How a recovery ended, and so where to go on.' });

export const haltReasonSchema = z
  .strictObject({
    kind: z.enum(['requested', 'stuck', 'budget', 'phase-failed']).describe('What kind of end it is.'),
    reason: reasonSchema,
    rule: z.string().nullable().describe('The rule of the verdict behind it, if there was one.'),
  })
  .meta({ id: 'HaltReason', description: 'Why a session ended for good.' });
