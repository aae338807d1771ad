import type { Attributes } from '@opentelemetry/api';
import type { Event, Session, Verdict } from '@pawl/core';
import type { SpanResult } from '@pawl/core/projections';
import { getOtelFinishReason } from './content.ts';
import type { OperationSpan, StepObservation } from './step-observation.ts';
import type { ModelIdentity } from './model-identity.ts';
import { otelAttributes, exceptionEventName, otelOperations, pawlAttributes } from './semconv.ts';
import type { SpanEvent } from './span-writer.ts';

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
