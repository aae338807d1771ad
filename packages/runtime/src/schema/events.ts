import { memoryCommands, type EventType, type EventOfType } from '@pawl/core';
import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import { createListSchema } from './list.ts';
import {
  eventTimeSchema,
  fileEffectSchema,
  modelErrorSchema,
  outcomeSchema,
  requestedCallSchema,
  storedEntrySchema,
  usageSchema,
} from './parts.ts';
import type { ExactSchemas } from './exact-schema.ts';
import { toSchemaName } from './schema-name.ts';
import { recoveryOutcomeSchema, verdictSchema } from './verdict.ts';

const eventRequestSchema = z
  .exactOptional(z.int())
  .describe('The `request` of the action it answers; if absent, it is meant for the work at hand.');

const jitterSchema = z
  .exactOptional(z.number().min(0).max(1))
  .describe('A random number from 0 to 1 that spreads retries; 1 if absent.');

const callIdSchema = z.string().describe('The `id` of the call.');

const rawEventSchemas = {
  'user-message': createEventSchema('user-message', 'A person said something.', {
    text: z.string().describe('What they said.'),
    automatic: z
      .exactOptional(z.boolean())
      .describe('Whether no person said it, but a harness, so that the work is still the same work.'),
  }),
  steered: createEventSchema(
    'steered',
    'A person said something while work was under way: the work goes on, and the model hears it when it is asked next. ' +
      'While the user is waited for, it is a message like any other.',
    { text: z.string().describe('What they said.') },
  ),
  'text-delta': createAnswerEventSchema(
    'text-delta',
    'The model wrote a piece of its text; for showing only.',
    {
      text: z.string().describe('The piece.'),
    },
  ),
  'call-delta': createAnswerEventSchema(
    'call-delta',
    'The model wrote a piece of a tool call; for showing only.',
    {
      callId: callIdSchema,
      tool: z.string().describe('The name of the tool.'),
      fragment: z.string().describe('The piece of its arguments, as text.'),
    },
  ),
  'model-replied': createAnswerEventSchema('model-replied', 'The model answered in full.', {
    text: z.string().describe('Its text, whole; may be empty.'),
    calls: createListSchema(requestedCallSchema).describe('The tool calls it asks for; none ends the turn.'),
    usage: z.exactOptional(usageSchema).describe('What the call used.'),
    nextState: z.exactOptional(z.string()).describe('The mode the model asks for, by name.'),
    logs: z
      .exactOptional(
        z.strictObject({
          think: z.exactOptional(z.string()).describe('What it thought.'),
          evaluation: z.exactOptional(z.string()).describe('What it makes of what it did.'),
        }),
      )
      .describe('What it wants written down in its memory.'),
    problem: z
      .exactOptional(z.string())
      .describe('Why the reply cannot be understood; nothing of it is carried out, and the model is told.'),
  }),
  'model-failed': createAnswerEventSchema(
    'model-failed',
    'The model could not be reached or would not answer.',
    {
      error: modelErrorSchema,
      jitter: jitterSchema,
    },
  ),
  'permission-decided': createAnswerEventSchema(
    'permission-decided',
    'A person decided whether a call may run.',
    {
      callId: callIdSchema,
      decision: z.enum(['allow', 'deny']).describe('What they decided.'),
      reason: z.exactOptional(z.string()).describe('Why not; the model is told.'),
    },
  ),
  'tool-started': createAnswerEventSchema('tool-started', 'A tool began to run.', {
    callId: callIdSchema,
    intent: z
      .exactOptional(anyJsonSchema)
      .describe('What it is about to do, for a tool that can tell later whether it was done.'),
  }),
  'tool-progressed': createAnswerEventSchema(
    'tool-progressed',
    'A tool says how far it is; for showing only.',
    {
      callId: callIdSchema,
      progress: z.string().describe('How far it is, for a person to read.'),
    },
  ),
  'tool-finished': createAnswerEventSchema('tool-finished', 'A tool call ended, well or badly.', {
    callId: callIdSchema,
    outcome: outcomeSchema,
    files: z
      .exactOptional(createListSchema(fileEffectSchema))
      .describe('Files the call changed, for tools that know.'),
    tests: z
      .exactOptional(
        z.strictObject({
          passed: z.int().min(0).describe('How many passed.'),
          failed: z.int().min(0).describe('How many failed.'),
        }),
      )
      .describe('Tests the call ran, for tools that know.'),
    found: z.exactOptional(createListSchema(storedEntrySchema)).describe('What the call found in storage.'),
  }),
  'hooks-finished': createAnswerEventSchema('hooks-finished', 'What runs after tools has run.', {
    actionTaken: z.boolean().describe('Whether the hooks did anything.'),
  }),
  'hooks-failed': createAnswerEventSchema('hooks-failed', 'What runs after tools could not run.', {
    message: z.string().describe('What went wrong, for a person to read.'),
    jitter: jitterSchema,
  }),
  'retry-due': createAnswerEventSchema('retry-due', 'The time that a `wait` action named has come.', {}),
  'recovery-finished': createAnswerEventSchema(
    'recovery-finished',
    'A way out of a stuck state was found, or none was.',
    {
      outcome: recoveryOutcomeSchema,
    },
  ),
  'paging-requested': createEventSchema('paging-requested', 'A person wants room made in the memory.', {
    reason: z.string().describe('Why.'),
  }),
  'paging-finished': createAnswerEventSchema('paging-finished', 'Room was made in the memory.', {
    freedTokens: z.number().describe('How many tokens it freed.'),
    heldTokens: z.exactOptional(z.number().min(0)).describe('How many there were before.'),
    summaries: z
      .exactOptional(
        z.strictObject({
          conversation: z.exactOptional(z.string()).describe('About the messages.'),
          memory: z.exactOptional(z.string()).describe('About the entries of working memory.'),
        }),
      )
      .describe("A model's words about what went on the shelf."),
    usage: z.exactOptional(usageSchema).describe('What these words have cost.'),
  }),
  'paging-failed': createAnswerEventSchema('paging-failed', 'No room could be made in the memory.', {
    message: z.string().describe('What went wrong, for a person to read.'),
    jitter: jitterSchema,
  }),
  'memory-asked': createEventSchema(
    'memory-asked',
    'A person wants something of an entry of working memory.',
    {
      action: z
        .enum(memoryCommands)
        .describe(
          'That it stays whatever must make room, that it may go again, or that it goes to storage now.',
        ),
      key: z.string().describe('The whole key of the entry.'),
    },
  ),
  'phase-started': createEventSchema(
    'phase-started',
    'A part of a long task began; the one before it is complete.',
    {
      number: z.int().describe('Which part it is.'),
      description: z.string().describe('What it is about.'),
      expectedMs: z.exactOptional(z.number().min(0)).describe('How long it is expected to take.'),
      total: z
        .exactOptional(z.int().min(1))
        .describe('How many parts there will be, as far as is known now.'),
      message: z
        .exactOptional(z.string())
        .describe('What to say to the model to begin it; only while waiting for the user.'),
    },
  ),
  'phase-completed': createEventSchema('phase-completed', 'The current part of a long task ended.', {
    success: z.boolean().describe('Whether it reached its aim.'),
    summary: z.exactOptional(z.string()).describe('What came of it.'),
    blockers: z.exactOptional(createListSchema(z.string())).describe('What stood in its way.'),
  }),
  'verdict-reached': createEventSchema(
    'verdict-reached',
    'A governor judged the work to be suspect or stuck.',
    {
      verdict: verdictSchema,
    },
  ),
  'finish-requested': createEventSchema(
    'finish-requested',
    'The turn is to end soon, with one last answer without tools.',
    {
      reason: z.string().describe('Why; the model is told.'),
    },
  ),
  'pause-requested': createEventSchema(
    'pause-requested',
    'No new work is to begin; answers are still taken.',
    {
      reason: z.string().describe('Why, for a person to read.'),
    },
  ),
  'resume-requested': createEventSchema('resume-requested', 'Paused work is to go on.', {}),
  'cancel-requested': createEventSchema(
    'cancel-requested',
    'The work at hand is to be called off; the session goes on.',
    {
      reason: z.exactOptional(z.string()).describe('Why, for a person to read.'),
    },
  ),
  'halt-requested': createEventSchema('halt-requested', 'The session is to end for good.', {
    reason: z.string().describe('Why, for a person to read.'),
  }),
  'shutdown-requested': createEventSchema(
    'shutdown-requested',
    'The program is to let go of the session.',
    {},
  ),
} satisfies Record<EventType, z.ZodType>;

/** The event schemas by type. */
export const eventSchemas: ExactSchemas<typeof rawEventSchemas, { [Type in EventType]: EventOfType<Type> }> =
  rawEventSchemas;

function createEventSchema<Type extends EventType, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
): z.ZodObject<{ type: z.ZodLiteral<Type>; at: typeof eventTimeSchema } & Fields, z.core.$strict> {
  return z
    .strictObject({
      type: z.literal(type).describe('The type of the event.'),
      at: eventTimeSchema,
      ...fields,
    })
    .meta({ id: toSchemaName(type, 'Event'), description });
}

/** Creates the schema of an event that answers an action. */
function createAnswerEventSchema<Type extends EventType, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
): ReturnType<typeof createEventSchema<Type, { request: typeof eventRequestSchema } & Fields>> {
  return createEventSchema(type, description, { request: eventRequestSchema, ...fields });
}
