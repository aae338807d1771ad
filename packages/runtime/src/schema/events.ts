import type { EventType, EventOfType } from '@pawl/core';
import { memoryCommands } from '@pawl/core/memory';
import * as z from 'zod';
import { anyJsonSchema } from './json-value.ts';
import {
  createListSchema,
  eventTimeSchema,
  fileEffectSchema,
  modelErrorSchema,
  outcomeSchema,
  requestedCallSchema,
  storedEntrySchema,
  usageSchema,
} from './parts.ts';
import { toSchemaName, type ExactSchemas } from './exact-schema.ts';
import { recoveryOutcomeSchema, verdictSchema } from './verdict.ts';

const eventRequestSchema = z
  .exactOptional(z.int())
  .describe('The `request` of the action it answers; defaults to the current request.');

const jitterSchema = z
  .exactOptional(z.number().min(0).max(1))
  .describe('A random number from 0 to 1 that spreads retries; defaults to 1.');

const callIdSchema = z.string().describe('The `id` of the call.');

const rawEventSchemas = {
  'user-message': createEventSchema('user-message', 'A user sent a message.', {
    text: z.string().describe('The text of the message.'),
    automatic: z
      .exactOptional(z.boolean())
      .describe('Whether a harness sent it instead of a user, so that it does not start a new task.'),
  }),
  steered: createEventSchema(
    'steered',
    'A user sent a message during the work: the work continues, and the next model request includes the message. ' +
      'In a session that waits for the user, it is a regular user message.',
    { text: z.string().describe('The text of the message.') },
  ),
  'text-delta': createAnswerEventSchema(
    'text-delta',
    'The model streamed a fragment of its text; for display only.',
    {
      text: z.string().describe('The fragment.'),
    },
  ),
  'call-delta': createAnswerEventSchema(
    'call-delta',
    'The model streamed a fragment of a tool call; for display only.',
    {
      callId: callIdSchema,
      tool: z.string().describe('The name of the tool.'),
      fragment: z.string().describe('The fragment of its arguments, as text.'),
    },
  ),
  'model-replied': createAnswerEventSchema('model-replied', 'The model completed its reply.', {
    text: z.string().describe('The complete text; may be empty.'),
    calls: createListSchema(requestedCallSchema).describe(
      'The requested tool calls; a reply without calls ends the turn.',
    ),
    usage: z.exactOptional(usageSchema).describe('Token usage of the call.'),
    kind: z
      .exactOptional(z.enum(['thought', 'action', 'answer', 'unreadable']))
      .describe(
        'What the reply means for the turn: a thought continues it, an answer ends it. Without it, text alone is an answer, or a thought in a mode that takes text for one.',
      ),
    nextState: z.exactOptional(z.string()).describe('The name of the mode that the model requests.'),
    logs: z
      .exactOptional(
        z.strictObject({
          think: z.exactOptional(z.string()).describe('The thoughts of the model.'),
          evaluation: z.exactOptional(z.string()).describe('The evaluation of its last step.'),
        }),
      )
      .describe('Log entries for its working memory.'),
    problem: z
      .exactOptional(z.string())
      .describe('Why the reply could not be parsed; none of it is executed, and the model is informed.'),
  }),
  'model-failed': createAnswerEventSchema('model-failed', 'A model call failed.', {
    error: modelErrorSchema,
    jitter: jitterSchema,
  }),
  'permission-decided': createAnswerEventSchema(
    'permission-decided',
    'A user decided whether a call may run.',
    {
      callId: callIdSchema,
      decision: z.enum(['allow', 'deny']).describe('The decision.'),
      reason: z.exactOptional(z.string()).describe('The reason for a denial, which the model receives.'),
    },
  ),
  'tool-started': createAnswerEventSchema('tool-started', 'A tool started.', {
    callId: callIdSchema,
    intent: z
      .exactOptional(anyJsonSchema)
      .describe('The effect it is about to have, for a tool that can verify it later.'),
  }),
  'tool-progressed': createAnswerEventSchema(
    'tool-progressed',
    'A tool reported progress; for display only.',
    {
      callId: callIdSchema,
      progress: z.string().describe('The progress, for a user.'),
    },
  ),
  'tool-finished': createAnswerEventSchema('tool-finished', 'A tool call ended, with or without success.', {
    callId: callIdSchema,
    outcome: outcomeSchema,
    files: z
      .exactOptional(createListSchema(fileEffectSchema))
      .describe('Files that the call changed, if the tool reports them.'),
    tests: z
      .exactOptional(
        z.strictObject({
          passed: z.int().min(0).describe('Number of passed tests.'),
          failed: z.int().min(0).describe('Number of failed tests.'),
        }),
      )
      .describe('Tests that the call ran, if the tool reports them.'),
    judged: z
      .exactOptional(z.boolean())
      .describe('Whether the caller judged the output itself: its text then does not overrule `ok`.'),
    foundEntries: z
      .exactOptional(createListSchema(storedEntrySchema))
      .describe('The entries that the call found in storage.'),
  }),
  'hooks-finished': createAnswerEventSchema('hooks-finished', 'The hooks after tool calls have finished.', {
    actionTaken: z.boolean().describe('Whether any hook took action.'),
  }),
  'hooks-failed': createAnswerEventSchema('hooks-failed', 'The hooks after tool calls have failed.', {
    message: z.string().describe('The error message, for a user.'),
    jitter: jitterSchema,
  }),
  'retry-due': createAnswerEventSchema('retry-due', 'The time of a `wait` action was reached.', {}),
  'recovery-finished': createAnswerEventSchema(
    'recovery-finished',
    'A recovery from a stuck state ended, with or without success.',
    {
      outcome: recoveryOutcomeSchema,
    },
  ),
  'paging-requested': createEventSchema('paging-requested', 'A user requested a compaction.', {
    reason: z.string().describe('The reason.'),
  }),
  'paging-finished': createAnswerEventSchema('paging-finished', 'A compaction finished.', {
    freedTokens: z.number().describe('Number of tokens freed.'),
    heldTokens: z.exactOptional(z.number().min(0)).describe('Number of tokens before the compaction.'),
    summaries: z
      .exactOptional(
        z.strictObject({
          conversation: z.exactOptional(z.string()).describe('Summary of the messages.'),
          memory: z.exactOptional(z.string()).describe('Summary of the working memory entries.'),
        }),
      )
      .describe("A model's summaries of the compacted content."),
    usage: z.exactOptional(usageSchema).describe('Token usage of the summaries.'),
  }),
  'paging-failed': createAnswerEventSchema('paging-failed', 'A compaction failed.', {
    message: z.string().describe('The error message, for a user.'),
    jitter: jitterSchema,
  }),
  'memory-command-requested': createEventSchema(
    'memory-command-requested',
    'A user requested a change to a working memory entry.',
    {
      action: z.enum(memoryCommands).describe('Pin the entry, unpin it, or move it to storage now.'),
      key: z.string().describe('The full key of the entry.'),
    },
  ),
  'phase-started': createEventSchema(
    'phase-started',
    'A phase of a long task started; the previous phase is complete.',
    {
      number: z.int().describe('Number of the phase.'),
      description: z.string().describe('Description of the phase.'),
      expectedMs: z.exactOptional(z.number().min(0)).describe('Expected duration in milliseconds.'),
      total: z.exactOptional(z.int().min(1)).describe('Planned number of phases, as far as known.'),
      message: z
        .exactOptional(z.string())
        .describe(
          'A message for the model that starts the phase; only in a session that waits for the user.',
        ),
    },
  ),
  'phase-completed': createEventSchema('phase-completed', 'The current phase of a long task was completed.', {
    success: z.boolean().describe('Whether the phase achieved its goal.'),
    summary: z.exactOptional(z.string()).describe('The outcome of the phase.'),
    blockers: z.exactOptional(createListSchema(z.string())).describe('The blockers.'),
  }),
  'verdict-reached': createEventSchema('verdict-reached', 'A governor issued a verdict on the work.', {
    verdict: verdictSchema,
  }),
  'finish-requested': createEventSchema(
    'finish-requested',
    'A request to end the turn with one final answer without tools.',
    {
      reason: z.string().describe('The reason, which the model receives.'),
    },
  ),
  'pause-requested': createEventSchema(
    'pause-requested',
    'A request to start no new work; answers are still processed.',
    {
      reason: z.string().describe('The reason, for a user.'),
    },
  ),
  'resume-requested': createEventSchema('resume-requested', 'A request to resume a paused session.', {}),
  'cancel-requested': createEventSchema(
    'cancel-requested',
    'A request to cancel the current work; the session continues.',
    {
      reason: z.exactOptional(z.string()).describe('The reason, for a user.'),
      partial: z
        .exactOptional(
          z.strictObject({
            reply: z
              .exactOptional(
                z.strictObject({
                  request: z.int().min(0).describe('The request that the reply answers.'),
                  text: z.string().describe('The text received so far.'),
                }),
              )
              .describe('The reply of the model, as far as it was received.'),
            outputs: z
              .exactOptional(z.record(z.string(), z.string()))
              .describe('The output of running calls so far, by the `id` of the call.'),
          }),
        )
        .describe('What the canceled work had produced and would otherwise be lost.'),
    },
  ),
  'halt-requested': createEventSchema('halt-requested', 'A request to end the session permanently.', {
    reason: z.string().describe('The reason, for a user.'),
  }),
  'shutdown-requested': createEventSchema('shutdown-requested', 'A request to release the session.', {}),
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

const exampleTime = Date.UTC(2026, 0, 1, 9);

/** One example per event. Together they describe one small task, so request and call ids match. */
export const eventExamples: { readonly [Type in EventType]: EventOfType<Type> } = {
  'user-message': { type: 'user-message', at: exampleTime, text: 'Make the test in sum.test.ts pass.' },
  steered: { type: 'steered', at: exampleTime + 3_000, text: 'Leave the other tests alone.' },
  'text-delta': { type: 'text-delta', at: exampleTime + 900, request: 1, text: 'The sum starts' },
  'call-delta': {
    type: 'call-delta',
    at: exampleTime + 950,
    request: 1,
    callId: 'call_1',
    tool: 'edit',
    fragment: '{"path":"su',
  },
  'model-replied': {
    type: 'model-replied',
    at: exampleTime + 1_200,
    request: 1,
    text: 'The sum starts at one.',
    calls: [
      { id: 'call_1', tool: 'edit', args: { path: 'sum.ts', old: '= 1', new: '= 0' }, permission: 'ask' },
    ],
    usage: { inputTokens: 812, outputTokens: 64 },
  },
  'model-failed': {
    type: 'model-failed',
    at: exampleTime + 1_200,
    request: 1,
    error: { kind: 'rate-limit', message: 'Too many requests.', retryable: true, retryAfterMs: 2_000 },
    jitter: 0.5,
  },
  'permission-decided': {
    type: 'permission-decided',
    at: exampleTime + 5_000,
    request: 1,
    callId: 'call_1',
    decision: 'allow',
  },
  'tool-started': { type: 'tool-started', at: exampleTime + 5_010, request: 1, callId: 'call_1' },
  'tool-progressed': {
    type: 'tool-progressed',
    at: exampleTime + 5_020,
    request: 1,
    callId: 'call_1',
    progress: '1 of 1 files',
  },
  'tool-finished': {
    type: 'tool-finished',
    at: exampleTime + 5_030,
    request: 1,
    callId: 'call_1',
    outcome: { ok: true, output: { changed: ['sum.ts'] } },
  },
  'hooks-finished': { type: 'hooks-finished', at: exampleTime + 5_400, request: 1, actionTaken: true },
  'hooks-failed': {
    type: 'hooks-failed',
    at: exampleTime + 5_400,
    request: 1,
    message: 'The commit was rejected.',
    jitter: 0.5,
  },
  'retry-due': { type: 'retry-due', at: exampleTime + 3_200, request: 1 },
  'recovery-finished': {
    type: 'recovery-finished',
    at: exampleTime + 6_000,
    request: 6,
    outcome: { kind: 'ask-model', advice: 'Read the test before you change the sum again.' },
  },
  'paging-requested': { type: 'paging-requested', at: exampleTime, reason: 'Before the next phase.' },
  'paging-finished': { type: 'paging-finished', at: exampleTime + 300, request: 1, freedTokens: 4_200 },
  'paging-failed': {
    type: 'paging-failed',
    at: exampleTime + 300,
    request: 1,
    message: 'The storage cannot be written.',
    jitter: 0.5,
  },
  'memory-command-requested': {
    type: 'memory-command-requested',
    at: exampleTime + 2_000,
    action: 'pin',
    key: 'plan',
  },
  'phase-started': {
    type: 'phase-started',
    at: exampleTime,
    number: 1,
    description: 'Fix the sum',
    expectedMs: 600_000,
    message: 'Start with the failing test.',
  },
  'phase-completed': {
    type: 'phase-completed',
    at: exampleTime + 6_000,
    success: true,
    summary: 'The sum starts at zero.',
    blockers: ['The test had no assertion.'],
  },
  'verdict-reached': {
    type: 'verdict-reached',
    at: exampleTime + 5_025,
    verdict: {
      severity: 'block',
      rule: 'same-edit',
      reason: 'The same edit was made three times.',
      advice: 'Read the file before you edit it again.',
      evidence: [2, 3, 4],
      response: { kind: 'recover' },
    },
  },
  'finish-requested': {
    type: 'finish-requested',
    at: exampleTime + 5_000,
    reason: 'The time limit is reached.',
  },
  'pause-requested': { type: 'pause-requested', at: exampleTime + 5_000, reason: 'The disk is nearly full.' },
  'resume-requested': { type: 'resume-requested', at: exampleTime + 9_000 },
  'cancel-requested': { type: 'cancel-requested', at: exampleTime + 5_000, reason: 'I have another idea.' },
  'halt-requested': { type: 'halt-requested', at: exampleTime + 5_000, reason: 'The branch is gone.' },
  'shutdown-requested': { type: 'shutdown-requested', at: exampleTime + 9_000 },
};
