import type { Attributes } from '@opentelemetry/api';
import type { Event, Session, Verdict } from '@pawl/core';
import { getOtelFinishReason } from './content.ts';
import type { OperationResult } from './operation-result.ts';
import type { StepObservation } from './step-observation.ts';
import type { ModelIdentity } from './model-identity.ts';
import { otelAttributes, exceptionEventName, otelOperations, pawlAttributes } from './semconv.ts';
import type { SpanEvent } from './span-writer.ts';
import type { PendingOperation } from './pending-operation.ts';

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
  work: PendingOperation,
  { provider, model }: ModelIdentity,
): Attributes {
  switch (work.kind) {
    case 'model':
      return {
        [otelAttributes.operation]: otelOperations.chat,
        [otelAttributes.provider]: provider,
        [otelAttributes.requestModel]: model,
        [pawlAttributes.attempt]: work.attempt,
      };
    case 'tool':
      return {
        [otelAttributes.operation]: otelOperations.tool,
        [otelAttributes.toolName]: work.call.tool,
        [otelAttributes.toolCallId]: work.call.id,
        [otelAttributes.toolType]: 'function',
      };
    case 'permission':
      return { [otelAttributes.toolName]: work.call.tool, [otelAttributes.toolCallId]: work.call.id };
    case 'hooks':
    case 'paging':
      return { [pawlAttributes.attempt]: work.attempt };
    case 'retry':
      return {
        [pawlAttributes.of]: work.of,
        [pawlAttributes.attempt]: work.attempt,
        [pawlAttributes.cause]: work.error,
      };
    case 'recovery':
      return { [pawlAttributes.rule]: work.rule, [pawlAttributes.attempt]: work.attempt };
    case 'pause':
      return {};
    default:
      return work satisfies never;
  }
}

/** Returns the attributes that the ending event provides. */
export function getCompletionAttributes(
  { kind, since }: PendingOperation,
  { seen: { event }, firstChunkAt }: StepObservation,
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

export function getResultAttributes(end: OperationResult, event: Event): Attributes {
  if (end.kind === 'failed') return { [otelAttributes.errorType]: end.error };
  return end.kind === 'called-off' ? { [pawlAttributes.calledOffBy]: event.type } : {};
}

export function createExceptionEvents(
  end: OperationResult,
  at: number,
  message: string | undefined,
): readonly SpanEvent[] {
  if (end.kind !== 'failed') return [];
  const attributes = {
    [otelAttributes.exceptionType]: end.error,
    ...(message !== undefined && { [otelAttributes.exceptionMessage]: message }),
  };
  return [{ name: exceptionEventName, at, attributes }];
}

export function createSpanEvents({
  verdicts,
  seen: { event, notes },
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

function getVerdictAttributes({ rule, level, response, evidence }: Verdict): Attributes {
  return {
    [pawlAttributes.rule]: rule,
    [pawlAttributes.level]: level,
    [pawlAttributes.response]: response.kind,
    [pawlAttributes.evidence]: [...evidence],
  };
}
