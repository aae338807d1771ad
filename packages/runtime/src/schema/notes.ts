import { eventTypes, type Note, type TurnStatus } from '@pawl/core';
import * as z from 'zod';
import { createListSchema } from './parts.ts';
import { toSchemaName, type ExactSchemas, type ExactSchema } from './exact-schema.ts';
import { verdictSchema } from './verdict.ts';

const rawTurnStatusSchema = z
  .enum([
    'waitingForUser',
    'callingModel',
    'processingResponse',
    'awaitingPermission',
    'executingTools',
    'postToolsHook',
    'progressCheck',
    'phaseTransition',
    'errorRecovery',
    'paging',
    'paused',
    'halted',
    'shuttingDown',
  ])
  .meta({ id: 'TurnStatus', description: 'The name of a state.' });

export const turnStatusSchema: ExactSchema<typeof rawTurnStatusSchema, TurnStatus> = rawTurnStatusSchema;

type NoteType = Note['type'];

const eventTypeSchema = z.enum(eventTypes).meta({ id: 'EventType', description: 'The type of an event.' });
const noteTimeSchema = z
  .number()
  .describe('Time of the causing event, in milliseconds since the Unix epoch.');

const movedEntrySchema = z
  .strictObject({
    key: z.string().describe('The key of the entry: its tags.'),
    tokens: z.number().describe('Size in tokens.'),
    reason: z.enum(['old log', 'least recently used', 'asked for']).describe('Why it was selected.'),
  })
  .meta({ id: 'Moved', description: 'An entry that was moved to storage.' });

const rawNoteSchemas = {
  transition: createNoteSchema('transition', 'The state machine changed its state.', {
    from: turnStatusSchema.describe('The previous state.'),
    to: turnStatusSchema.describe('The new state; it may be transient.'),
    cause: eventTypeSchema.describe('The event that caused it.'),
    durationMs: z.number().describe('Duration of the previous state.'),
  }),
  refused: createNoteSchema(
    'refused',
    'An event was rejected because it is not valid in the current state.',
    {
      status: turnStatusSchema.describe('The state that rejected it.'),
      event: eventTypeSchema.describe('The rejected event.'),
      reason: z.string().describe('Why it was rejected.'),
    },
  ),
  mode: createNoteSchema(
    'mode',
    'The mode changed, or a mode change that the model requested was corrected.',
    {
      from: z.string().describe('The previous mode.'),
      to: z.string().describe('The new mode.'),
      cause: z.string().describe('The cause of the change.'),
      durationMs: z.number().describe('Duration of the previous mode.'),
    },
  ),
  paged: createNoteSchema('paged', 'Entries were moved from working memory to storage.', {
    moved: createListSchema(movedEntrySchema).describe('The moved entries, in order.'),
    freedTokens: z.number().describe('Number of tokens freed.'),
  }),
  verdict: createNoteSchema('verdict', 'The governor issued a verdict.', { verdict: verdictSchema }),
  'phase-started': createNoteSchema('phase-started', 'A phase of a long task started.', {
    number: z.int().describe('Number of the phase.'),
    description: z.string().describe('Description of the phase.'),
  }),
  'phase-completed': createNoteSchema('phase-completed', 'A phase of a long task was completed.', {
    number: z.int().describe('Number of the phase.'),
    success: z.boolean().describe('Whether the phase achieved its goal.'),
  }),
} satisfies Record<NoteType, z.ZodType>;

/** The note schemas by type. */
export const noteSchemas: ExactSchemas<
  typeof rawNoteSchemas,
  { [Type in NoteType]: Extract<Note, { readonly type: Type }> }
> = rawNoteSchemas;

function createNoteSchema<Type extends NoteType, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
): z.ZodObject<{ type: z.ZodLiteral<Type>; at: typeof noteTimeSchema } & Fields, z.core.$strict> {
  return z
    .strictObject({ type: z.literal(type).describe('The type of the note.'), at: noteTimeSchema, ...fields })
    .meta({ id: toSchemaName(type, 'Note'), description });
}
