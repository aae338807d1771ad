import { eventTypes } from '@pawl/core';
import type { Note } from '@pawl/core';
import * as z from 'zod';
import { list } from './list.ts';
import type { Agreeing } from './same.ts';
import { schemaName } from './schema-name.ts';
import { turnStatus } from './status.ts';
import { verdict } from './verdict.ts';

type NoteType = Note['type'];

const eventType = z.enum(eventTypes).meta({ id: 'EventType', description: 'The type of an event.' });
const at = z.number().describe('The time of the event behind it, in milliseconds since 1970.');

const moved = z
  .strictObject({
    key: z.string().describe('Its tags.'),
    tokens: z.number().describe('How large it is.'),
    why: z.enum(['old log', 'least recently used', 'asked for']).describe('Why this one.'),
  })
  .meta({ id: 'Moved', description: 'An entry that went to storage.' });

const schemas = {
  transition: note('transition', 'The machine went from one state to another.', {
    from: turnStatus.describe('The state left.'),
    to: turnStatus.describe('The state entered, possibly only to pass through it.'),
    cause: eventType.describe('The event that caused it.'),
    durationMs: z.number().describe('How long the state left had lasted.'),
  }),
  refused: note('refused', 'An event did not fit the state and was not taken.', {
    status: turnStatus.describe('The state it did not fit.'),
    event: eventType.describe('The event.'),
    reason: z.string().describe('Why it did not fit.'),
  }),
  mode: note('mode', 'The mode changed, or what the model wanted was put right.', {
    from: z.string().describe('The mode left.'),
    to: z.string().describe('The mode entered.'),
    cause: z.string().describe('What brought it about.'),
    durationMs: z.number().describe('How long the mode left had lasted.'),
  }),
  paged: note('paged', 'Entries were moved from working memory to storage.', {
    moved: list(moved).describe('What was moved, in order.'),
    freedTokens: z.number().describe('How many tokens that freed.'),
  }),
  verdict: note('verdict', 'A governor judged the work.', { verdict }),
  'phase-started': note('phase-started', 'A part of a long task began.', {
    number: z.int().describe('Which part.'),
    description: z.string().describe('What it is about.'),
  }),
  'phase-completed': note('phase-completed', 'A part of a long task ended.', {
    number: z.int().describe('Which part.'),
    success: z.boolean().describe('Whether it reached its aim.'),
  }),
} satisfies Record<NoteType, z.ZodType>;

/** One schema for each note, by its type. */
export const noteSchemas: Agreeing<
  typeof schemas,
  { [Type in NoteType]: Extract<Note, { readonly type: Type }> }
> = schemas;

function note<Type extends NoteType, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
): z.ZodObject<{ type: z.ZodLiteral<Type>; at: typeof at } & Fields, z.core.$strict> {
  return z
    .strictObject({ type: z.literal(type).describe('The type of the note.'), at, ...fields })
    .meta({ id: schemaName(type, 'Note'), description });
}
