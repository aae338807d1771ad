import type { Attributes } from '@opentelemetry/api';
import {
  toItemArray,
  type Event,
  type Session,
  type Verdict,
  type Json,
  type ConversationMessage,
} from '@pawl/core';
import type { SpanResult } from '@pawl/core/projections';
import type { OperationSpan, StepObservation, EndedOperation } from './step-observation.ts';
import {
  otelAttributes,
  exceptionEventName,
  otelOperations,
  pawlAttributes,
  type ModelIdentity,
} from './semconv.ts';
import type { SpanEvent } from './span-writer.ts';
import { maskSecrets } from '@pawl/runtime/logging';

export function getSessionAttributes({ id, profile, seq, mode, turn }: Session): Attributes {
  return {
    [otelAttributes.conversationId]: id,
    [pawlAttributes.profile]: profile,
    [pawlAttributes.seq]: seq,
    [pawlAttributes.state]: turn.status,
    ...(mode !== null && { [pawlAttributes.mode]: mode.state }),
  };
}

export function getOperationAttributes(
  operation: OperationSpan,
  { provider, model }: ModelIdentity,
): Attributes {
  switch (operation.kind) {
    case 'model':
      return {
        [otelAttributes.operation]: otelOperations.chat,
        [otelAttributes.provider]: provider,
        [otelAttributes.requestModel]: model,
        [pawlAttributes.attempt]: operation.attempt,
      };
    case 'tool':
      return {
        [otelAttributes.operation]: otelOperations.tool,
        [otelAttributes.toolName]: operation.call.tool,
        [otelAttributes.toolCallId]: operation.call.id,
        [otelAttributes.toolType]: 'function',
      };
    case 'permission':
      return {
        [otelAttributes.toolName]: operation.call.tool,
        [otelAttributes.toolCallId]: operation.call.id,
      };
    case 'hooks':
    case 'paging':
      return { [pawlAttributes.attempt]: operation.attempt };
    case 'retry':
      return {
        [pawlAttributes.of]: operation.of,
        [pawlAttributes.attempt]: operation.attempt,
        [pawlAttributes.cause]: operation.error,
      };
    case 'recovery':
      return { [pawlAttributes.rule]: operation.rule, [pawlAttributes.attempt]: operation.attempt };
    case 'pause':
      return {};
    default:
      return operation satisfies never;
  }
}

/** Returns the attributes that the ending event provides. */
export function getCompletionAttributes(
  { kind, since }: OperationSpan,
  { stepResult: { event }, firstChunkAt }: StepObservation,
): Attributes {
  if (kind === 'model' && event.type === 'model-replied') {
    const first = firstChunkAt === null ? null : Math.max(0, firstChunkAt - since) / 1_000;
    return {
      ...getModelReplyAttributes(event),
      ...(first !== null && { [otelAttributes.timeToFirstChunk]: first }),
    };
  }
  if (kind === 'permission' && event.type === 'permission-decided')
    return { [pawlAttributes.decision]: event.decision };
  if (kind === 'paging' && event.type === 'paging-finished')
    return { [pawlAttributes.freedTokens]: event.freedTokens };
  if (kind === 'recovery' && event.type === 'recovery-finished')
    return { [pawlAttributes.outcome]: event.outcome.kind };
  return {};
}

function getModelReplyAttributes({
  usage,
  calls,
  problem,
}: Extract<Event, { readonly type: 'model-replied' }>): Attributes {
  return {
    [otelAttributes.finishReasons]: [getOtelFinishReason(calls.length)],
    [pawlAttributes.understood]: problem === undefined,
    ...(usage && {
      [otelAttributes.inputTokens]: usage.inputTokens,
      [otelAttributes.outputTokens]: usage.outputTokens,
    }),
    ...(usage?.cost !== undefined && { [pawlAttributes.cost]: usage.cost }),
  };
}

export function getResultAttributes(result: SpanResult, event: Event): Attributes {
  if (result.kind === 'failed') return { [otelAttributes.errorType]: result.error };
  return result.kind === 'cancelled' ? { [pawlAttributes.cancelledBy]: event.type } : {};
}

export function createExceptionEvents(
  result: SpanResult,
  at: number,
  message: string | undefined,
): readonly SpanEvent[] {
  if (result.kind !== 'failed') return [];
  const attributes = {
    [otelAttributes.exceptionType]: result.error,
    ...(message !== undefined && { [otelAttributes.exceptionMessage]: message }),
  };
  return [{ name: exceptionEventName, at, attributes }];
}

export function createSpanEvents({
  verdicts,
  stepResult: { event, notes },
}: StepObservation): readonly SpanEvent[] {
  const { at } = event;
  return [
    ...verdicts.map((verdict) => ({
      name: pawlAttributes.verdictEvent,
      at,
      attributes: getVerdictAttributes(verdict),
    })),
    ...notes.flatMap((note) =>
      note.type === 'paged'
        ? [
            {
              name: pawlAttributes.pagedEvent,
              at,
              attributes: {
                [pawlAttributes.movedEntries]: note.moved.length,
                [pawlAttributes.freedTokens]: note.freedTokens,
              },
            },
          ]
        : [],
    ),
  ];
}

function getVerdictAttributes({ rule, severity, response, evidence }: Verdict): Attributes {
  return {
    [pawlAttributes.rule]: rule,
    [pawlAttributes.level]: severity,
    [pawlAttributes.response]: response.kind,
    [pawlAttributes.evidence]: [...evidence],
  };
}

type TextAttributes = Readonly<Record<string, string>>;

/** Maximum length of one text, and maximum number of conversation messages sent. */
const contentTextMax = 4_000;
const contentMessagesMax = 50;

/** Builds the content attributes in the form of the semantic conventions, with secrets masked. */
export function buildContentAttributes(
  { operation, result }: EndedOperation,
  { stepResult }: StepObservation,
  secrets: readonly string[],
): TextAttributes {
  const { event } = stepResult;
  const text = (value: unknown): string =>
    JSON.stringify(maskSecrets(value, { secrets, textMax: contentTextMax }));
  if (operation.kind === 'model') {
    const input = toItemArray(operation.conversation).slice(-contentMessagesMax).map(toContentMessage);
    const output = event.type === 'model-replied' ? [toReplyMessage(event)] : [];
    return {
      [otelAttributes.inputMessages]: text(input),
      ...(output.length > 0 && { [otelAttributes.outputMessages]: text(output) }),
      ...(event.type === 'model-failed' && { [otelAttributes.exceptionMessage]: text(event.error.message) }),
    };
  }
  if (operation.kind !== 'tool') return {};
  const hasResult = event.type === 'tool-finished' && result.kind !== 'cancelled';
  return {
    [otelAttributes.toolArguments]: text(operation.call.args),
    ...(hasResult && {
      [otelAttributes.toolResult]: text(event.outcome.ok ? event.outcome.output : event.outcome.error),
    }),
  };
}

type ContentPart = { readonly type: string; readonly [key: string]: Json };

function toContentMessage(message: ConversationMessage): {
  readonly role: string;
  readonly parts: readonly ContentPart[];
} {
  const { role } = message;
  if (role === 'user') return { role, parts: [createTextPart(message.text)] };
  if (role === 'assistant')
    return { role, parts: [createTextPart(message.text), ...message.calls.map(createToolCallPart)] };
  const { callId: id, outcome } = message;
  const response = outcome.ok ? outcome.output : { ...outcome.error };
  return { role, parts: [{ type: 'tool_call_response', id, response }] };
}

type ModelReplyEvent = Extract<StepObservation['stepResult']['event'], { readonly type: 'model-replied' }>;

function toReplyMessage({ text, calls }: ModelReplyEvent): object {
  return {
    role: 'assistant',
    parts: [createTextPart(text), ...calls.map(createToolCallPart)],
    finish_reason: getOtelFinishReason(calls.length),
  };
}

function getOtelFinishReason(calls: number): string {
  return calls > 0 ? 'tool_call' : 'stop';
}

function createTextPart(content: string): ContentPart {
  return { type: 'text', content };
}

function createToolCallPart({
  id,
  tool,
  args,
}: {
  readonly id?: string;
  readonly tool: string;
  readonly args: Json;
}): ContentPart {
  return { type: 'tool_call', ...(id !== undefined && { id }), name: tool, arguments: args };
}
