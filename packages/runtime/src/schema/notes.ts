import { eventTypes, type Note } from '@pawl/core';
import * as z from 'zod';
import { createListSchema } from './list.ts';
import type { ExactSchemas } from './exact-schema.ts';
import { toSchemaName } from './schema-name.ts';
import { turnStatusSchema } from './status.ts';
import { verdictSchema } from './verdict.ts';

type NoteType = Note['type'];

const eventTypeSchema = z.enum(eventTypes).meta({ id: 'EventType', description: 'The type of an event.' });
const noteTimeSchema = z.number().describe('The time of the event behind it, in milliseconds since 1970.');

const movedEntrySchema = z
  .strictObject({
    key: z.string().describe('Its tags.'),
    tokens: z.number().describe('How large it is.'),
    why: z.enum(['old log', 'least recently used', 'asked for']).describe('Why this one.'),
  })
  .meta({ id: 'Moved', description: 'An entry that went to storage.' });

const rawNoteSchemas = {
  transition: createNoteSchema('transition', 'The machine went from one state to another.', {
    from: turnStatusSchema.describe('The state left.'),
    to: turnStatusSchema.describe('The state entered, possibly only to pass through it.'),
    cause: eventTypeSchema.describe('The event that caused it.'),
    durationMs: z.number().describe('How long the state left had lasted.'),
  }),
  refused: createNoteSchema('refused', 'An event did not fit the state and was not taken.', {
    status: turnStatusSchema.describe('The state it did not fit.'),
    event: eventTypeSchema.describe('The event.'),
    reason: z.string().describe('Why it did not fit.'),
  }),
  mode: createNoteSchema('mode', 'The mode changed, or what the model wanted was put right.', {
    from: z.string().describe('The mode left.'),
    to: z.string().describe('The mode entered.'),
    cause: z.string().describe('What brought it about.'),
    durationMs: z.number().describe('How long the mode left had lasted.'),
  }),
  paged: createNoteSchema('paged', 'Entries were moved from working memory to storage.', {
    moved: createListSchema(movedEntrySchema).describe('What was moved, in order.'),
    freedTokens: z.number().describe('How many tokens that freed.'),
  }),
  verdict: createNoteSchema('verdict', 'A governor judged the work.', { verdict: verdictSchema }),
  'phase-started': createNoteSchema('phase-started', 'A part of a long task began.', {
    number: z.int().describe('Which part.'),
    description: z.string().describe('What it is about.'),
  }),
  'phase-completed': createNoteSchema('phase-completed', 'A part of a long task ended.', {
    number: z.int().describe('Which part.'),
    success: z.boolean().describe('Whether it reached its aim.'),
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
