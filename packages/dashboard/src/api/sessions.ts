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
    short: z.string().describe('Short prefix of the id.'),
    goal: z.nullable(z.string()).describe('Beginning of the first user message.'),
    profile: z.string(),
    model: z.nullable(z.string()),
    dir: z.nullable(z.string()).describe('Working folder.'),
    status: z.enum(sessionStatuses),
    mode: z.nullable(z.string()).describe('Current mode; null if the profile has no modes.'),
    phase: z.nullable(z.object({ number: z.int(), description: z.string(), total: z.nullable(z.int()) })),
    stop: z
      .nullable(z.object({ kind: z.string(), rule: z.nullable(z.string()), reason: z.string() }))
      .describe('Why the session is closed; null if it is not.'),
    steps: z.int().describe('Number of model replies.'),
    toolCalls: z.int(),
    tokens: z.number().describe('Input and output tokens as reported by the model.'),
    cost: z.number().describe('In the currency of the configured prices; 0 without prices.'),
    asks: z.int().describe('Number of calls that wait for approval.'),
    head: z.int().describe('Number of the last event.'),
    createdAt: z.number().describe('Milliseconds since the Unix epoch, like all times.'),
    updatedAt: z.number(),
    holder: sessionHolderSchema,
    parent: z.nullable(parentSchema).describe('The session it was forked from, and the last shared event.'),
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
  .meta({ id: 'Mark', description: 'User feedback on a verdict.' });

export type VerdictFeedbackEntry = z.infer<typeof verdictFeedbackEntrySchema>;

export const sessionDetailSchema = sessionListItemSchema
  .extend({
    created: sessionSchema.describe('The session before its first event.'),
    prompt: z.nullable(z.string()).describe('System prompt; null if it was not recorded.'),
    tools: z
      .nullable(z.array(toolDescriptionSchema))
      .describe('Available tools; null if they were not recorded.'),
    controllable: z.boolean().describe('Whether the session accepts commands.'),
    why: z
      .nullable(z.string())
      .describe(
        'Why the session accepts no commands, or the error of its last run; null if neither applies.',
      ),
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
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('Page size, at most 1,000.'),
  cursor: z.string().max(500).optional().describe('The `next` value of the previous page.'),
  status: z
    .string()
    .max(500)
    .optional()
    .describe(`One or more statuses, separated by commas: ${sessionStatuses.join(', ')}.`),
  q: z
    .string()
    .max(500)
    .optional()
    .describe('Words that must occur in the goal, id, profile, model or folder.'),
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
      .describe('Working folder; defaults to the folder of the dashboard.'),
    model: z.string().min(1).max(500).optional().describe('Model name, as for pawl run --model.'),
    profile: z.string().min(1).max(500).optional(),
    mode: z
      .enum(['read-only', 'ask', 'auto-edit', 'full-auto'])
      .optional()
      .describe('Permission mode for calls that no rule matches.'),
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
    at: z.int().min(0).describe('Number of the last shared event.'),
    requestId: requestIdSchema.optional(),
  })
  .meta({ id: 'Fork' });

export type ForkRequest = z.infer<typeof forkRequestSchema>;

export const idResponseSchema = z.object({ id: idSchema }).meta({ id: 'Id' });

export const eventsQuerySchema = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('Number of the last known event.'),
  limit: z.coerce.number().int().min(1).max(5_000).default(2_000).describe('Page size, at most 5,000.'),
});

export const eventsPageSchema = z
  .object({
    events: z.array(numberedEventSchema),
    head: z.int().describe('Number of the last event of the session.'),
    more: z.boolean().describe('Whether there are more events after this page.'),
  })
  .meta({ id: 'EventsPage' });

export type EventsPage = {
  readonly events: readonly NumberedEvent[];
  readonly head: number;
  readonly more: boolean;
};
