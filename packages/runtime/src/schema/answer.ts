import * as z from 'zod';
import { actionSchemas } from './actions.ts';
import { noteSchemas } from './notes.ts';
import { stateSchema } from './states.ts';
import { turnStatusSchema } from './status.ts';

const actionSchema = z
  .union(Object.values(actionSchemas))
  .meta({ id: 'Action', description: 'Something that you must now do.' });

const noteSchema = z
  .union(Object.values(noteSchemas))
  .meta({ id: 'Note', description: 'Something worth recording.' });

const sessionSnapshotSchema = z
  .looseObject({ version: z.literal(1).describe('The version of its form.') })
  .meta({ id: 'Session', description: 'The whole session, as a snapshot keeps it.' });

/** The output of `pawl pipe` for each input line. */
export const answerSchema = z
  .discriminatedUnion('ok', [
    z.strictObject({
      ok: z.literal(true).describe('The line was an event.'),
      seq: z.int().describe('How many durable events the session has seen.'),
      refused: z.exactOptional(z.string()).describe('Why the event was not taken; absent if it was.'),
      state: z
        .union([stateSchema, turnStatusSchema, sessionSnapshotSchema])
        .describe('By `--state`: compact, only its name, or the whole session.'),
      actions: z.array(actionSchema).describe('What to do now, in this order.'),
      notes: z.array(noteSchema).describe('What is worth recording.'),
    }),
    z.strictObject({
      ok: z.literal(false).describe('It was not.'),
      line: z.int().describe('Which line of the input it was, from 1.'),
      error: z.string().describe('What is wrong with it.'),
    }),
  ])
  .meta({ id: 'Answer', description: 'The line that `pawl pipe` prints for a line it reads.' });
