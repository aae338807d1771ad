import type { Session, TurnStatus } from '@pawl/core';
import * as z from 'zod';
import {
  idSchema,
  jsonSchema,
  numberedEventSchema,
  requestIdSchema,
  sessionSchema,
} from './shared-schemas.ts';
import type { NumberedEvent } from './shared-schemas.ts';

const sessionStatuses = Object.keys({
  waitingForUser: 0,
  callingModel: 0,
  processingResponse: 0,
  awaitingPermission: 0,
  executingTools: 0,
  postToolsHook: 0,
  progressCheck: 0,
  phaseTransition: 0,
  errorRecovery: 0,
  paging: 0,
  paused: 0,
  halted: 0,
  shuttingDown: 0,
  damaged: 0,
} satisfies Record<TurnStatus | 'damaged', 0>) as readonly (TurnStatus | 'damaged')[];

/** Which process holds a session: this server, another process, or none. */
export const sessionHolderSchema = z.enum(['here', 'elsewhere', 'nobody']).meta({ id: 'Holder' });

export type SessionHolder = z.infer<typeof sessionHolderSchema>;

const parentSchema = z.object({ id: z.string(), at: z.int() });

export const sessionListItemSchema = z
  .object({
    id: z.string(),
    short: z.string().describe('The beginning of its id that people type.'),
    goal: z.nullable(z.string()).describe('The beginning of what was said first.'),
    profile: z.string(),
    model: z.nullable(z.string()),
    dir: z.nullable(z.string()).describe('The folder it works in.'),
    status: z.enum(sessionStatuses),
    mode: z.nullable(z.string()).describe('The kind of step it is taking, where its profile has modes.'),
    phase: z.nullable(z.object({ number: z.int(), description: z.string(), total: z.nullable(z.int()) })),
    stop: z
      .nullable(z.object({ kind: z.string(), rule: z.nullable(z.string()), reason: z.string() }))
      .describe('Why it ended for good, if it did.'),
    steps: z.int().describe('Replies from a model.'),
    toolCalls: z.int(),
    tokens: z.number().describe('Read and written, as the model reports them.'),
    cost: z.number().describe('In the money of the prices; 0 where nobody gave any.'),
    asks: z.int().describe('How many calls wait for a person to decide.'),
    head: z.int().describe('The number of the last event.'),
    createdAt: z.number().describe('In milliseconds since 1970, as all times are.'),
    updatedAt: z.number(),
    holder: sessionHolderSchema,
    parent: z.nullable(parentSchema).describe('The session it was forked from, and after which event.'),
  })
  .meta({ id: 'SessionRow' });

/** One session in the session list. */
export type SessionListItem = z.infer<typeof sessionListItemSchema>;

export const toolDescriptionSchema = z
  .object({ name: z.string(), description: z.string(), parameters: jsonSchema })
  .meta({ id: 'Tool' });

export const verdictFeedbackEntrySchema = z
  .object({
    seq: z.int(),
    rule: z.string(),
    mark: z.enum(['right', 'wrong']),
    note: z.nullable(z.string()),
    at: z.number(),
  })
  .meta({ id: 'Mark', description: 'What a person thinks of a verdict.' });

export type VerdictFeedbackEntry = z.infer<typeof verdictFeedbackEntrySchema>;

export const sessionDetailSchema = sessionListItemSchema
  .extend({
    created: sessionSchema.describe('The session before its first event.'),
    prompt: z
      .nullable(z.string())
      .describe('What its model is told before all else, where that is on record.'),
    tools: z.nullable(z.array(toolDescriptionSchema)).describe('What it may call, where that is on record.'),
    controllable: z.boolean().describe('Whether commands reach it.'),
    why: z
      .nullable(z.string())
      .describe('Why not, if they do not; else why it could not be gone on with the last time, if so.'),
    marks: z.array(verdictFeedbackEntrySchema),
  })
  .meta({ id: 'SessionDetail' });

export type SessionDetail = Omit<z.infer<typeof sessionDetailSchema>, 'created'> & {
  readonly created: Session;
};

export const sessionListSchema = z
  .object({ sessions: z.array(sessionListItemSchema), next: z.nullable(z.string()) })
  .meta({ id: 'SessionList' });

export type SessionList = z.infer<typeof sessionListSchema>;

export const listQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('1,000 at most.'),
  cursor: z.string().max(500).optional().describe('`next` of the page before.'),
  status: z
    .string()
    .max(500)
    .optional()
    .describe(`One status, or several with commas between them: ${sessionStatuses.join(', ')}.`),
  q: z.string().max(500).optional().describe('Words that the goal, id, profile, model or folder must have.'),
});

const budgetSchema = z.nullable(z.number().min(0)).optional();

export const createSessionRequestSchema = z
  .strictObject({
    requestId: requestIdSchema,
    goal: z.string().min(1).max(100_000),
    dir: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe('The folder to work in; that of the dashboard if left out.'),
    model: z.string().min(1).max(500).optional().describe('As pawl run --model names it.'),
    profile: z.string().min(1).max(500).optional(),
    mode: z
      .enum(['read-only', 'ask', 'auto-edit', 'full-auto'])
      .optional()
      .describe('What becomes of calls that no rule is about.'),
    budgets: z
      .strictObject({
        modelCalls: budgetSchema,
        toolCalls: budgetSchema,
        tokens: budgetSchema,
        cost: budgetSchema,
        wallMs: budgetSchema,
      })
      .optional(),
  })
  .meta({ id: 'CreateSession' });

export type CreateSessionRequest = z.infer<typeof createSessionRequestSchema>;

export const forkRequestSchema = z
  .strictObject({
    at: z.int().min(0).describe('The last event that both sessions have.'),
    requestId: requestIdSchema.optional(),
  })
  .meta({ id: 'Fork' });

export type ForkRequest = z.infer<typeof forkRequestSchema>;

export const idResponseSchema = z.object({ id: idSchema }).meta({ id: 'Id' });

export const eventsQuerySchema = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('The last event that is known.'),
  limit: z.coerce.number().int().min(1).max(5_000).default(2_000).describe('5,000 at most.'),
});

export const eventsPageSchema = z
  .object({
    events: z.array(numberedEventSchema),
    head: z.int().describe('The number of the last event there is.'),
    more: z.boolean().describe('Whether there are events after those of this page.'),
  })
  .meta({ id: 'EventsPage' });

export type EventsPage = {
  readonly events: readonly NumberedEvent[];
  readonly head: number;
  readonly more: boolean;
};
