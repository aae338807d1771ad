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
  otelToolType,
  getModelAttributes,
  pawlAttributes,
  type ModelIdentity,
} from './semconv.ts';
import type { SpanEvent } from './span-writer.ts';
import type { ModelResponse } from '@pawl/runtime';
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
  { model, agentName }: { readonly model: ModelIdentity; readonly agentName: string },
): Attributes {
  switch (operation.kind) {
    case 'model':
      return { ...getModelAttributes(model), [pawlAttributes.attempt]: operation.attempt };
    case 'tool':
      return {
        [otelAttributes.operation]: otelOperations.tool,
        [otelAttributes.toolName]: operation.call.tool,
        [otelAttributes.toolCallId]: operation.call.id,
        [otelAttributes.toolType]: otelToolType,
        [otelAttributes.agentName]: agentName,
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
  { stepResult: { event }, firstChunkAt, response }: StepObservation,
): Attributes {
  if (kind === 'model' && (event.type === 'model-replied' || event.type === 'model-failed'))
    return {
      ...getModelResponseAttributes(response),
      ...(event.type === 'model-replied' && getModelReplyAttributes(event, response)),
      ...(firstChunkAt !== null && {
        [otelAttributes.requestStream]: true,
        [otelAttributes.timeToFirstChunk]: Math.max(0, firstChunkAt - since) / 1_000,
      }),
    };
  if (kind === 'permission' && event.type === 'permission-decided')
    return { [pawlAttributes.decision]: event.decision };
  if (kind === 'paging' && event.type === 'paging-finished')
    return { [pawlAttributes.freedTokens]: event.freedTokens };
  if (kind === 'recovery' && event.type === 'recovery-finished')
    return { [pawlAttributes.outcome]: event.outcome.kind };
  return {};
}

function getModelResponseAttributes({ id, model, finishReason }: ModelResponse): Attributes {
  return {
    ...(id !== undefined && { [otelAttributes.responseId]: id }),
    ...(model !== undefined && { [otelAttributes.responseModel]: model }),
    ...(finishReason !== undefined && {
      [otelAttributes.finishReasons]: [toOtelFinishReason(finishReason)],
    }),
  };
}

function getModelReplyAttributes(
  { usage, calls, problem }: ModelReplyEvent,
  response: ModelResponse,
): Attributes {
  return {
    [otelAttributes.finishReasons]: [getOtelFinishReason(calls.length, response)],
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
  { stepResult, response }: StepObservation,
  secrets: readonly string[],
): TextAttributes {
  const { event } = stepResult;
  const text = (value: unknown): string =>
    JSON.stringify(maskSecrets(value, { secrets, textMax: contentTextMax }));
  if (operation.kind === 'model') {
    const input = toItemArray(operation.conversation).slice(-contentMessagesMax).map(toContentMessage);
    const output = event.type === 'model-replied' ? [toReplyMessage(event, response)] : [];
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

type ModelReplyEvent = Extract<Event, { readonly type: 'model-replied' }>;

function toReplyMessage({ text, calls }: ModelReplyEvent, response: ModelResponse): object {
  return {
    role: 'assistant',
    parts: [createTextPart(text), ...calls.map(createToolCallPart)],
    finish_reason: getOtelFinishReason(calls.length, response),
  };
}

/** The finish reason of a reply; if the provider's is unknown, as the reply itself shows. */
function getOtelFinishReason(calls: number, { finishReason }: ModelResponse): string {
  if (finishReason !== undefined) return toOtelFinishReason(finishReason);
  return calls > 0 ? 'tool_call' : 'stop';
}

/** Converts a finish reason of the AI SDK to the conventions' name: `tool-calls` to `tool_call`. */
function toOtelFinishReason(reason: string): string {
  return reason === 'tool-calls' ? 'tool_call' : reason.replaceAll('-', '_');
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
