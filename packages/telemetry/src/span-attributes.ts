import type { Attributes } from '@opentelemetry/api';
import type { Event, Session, Verdict } from '@pawl/core';
import { finishReason } from './content.ts';
import type { End } from './ended.ts';
import type { Happening } from './happening.ts';
import type { ModelNames } from './model-names.ts';
import { attribute, exceptionEvent, operation, own } from './semconv.ts';
import type { SpanEvent } from './span-writer.ts';
import type { Work } from './work.ts';

export function sessionAttributes({ id, profile, seq, mode, turn }: Session): Attributes {
  return {
    [attribute.conversationId]: id,
    [own.profile]: profile,
    [own.seq]: seq,
    [own.state]: turn.status,
    ...(mode !== null && { [own.mode]: mode.state }),
  };
}

export function workAttributes(work: Work, { provider, model }: ModelNames): Attributes {
  switch (work.kind) {
    case 'model':
      return {
        [attribute.operation]: operation.chat,
        [attribute.provider]: provider,
        [attribute.requestModel]: model,
        [own.attempt]: work.attempt,
      };
    case 'tool':
      return {
        [attribute.operation]: operation.tool,
        [attribute.toolName]: work.call.tool,
        [attribute.toolCallId]: work.call.id,
        [attribute.toolType]: 'function',
      };
    case 'permission':
      return { [attribute.toolName]: work.call.tool, [attribute.toolCallId]: work.call.id };
    case 'hooks':
    case 'paging':
      return { [own.attempt]: work.attempt };
    case 'retry':
      return { [own.of]: work.of, [own.attempt]: work.attempt, [own.cause]: work.error };
    case 'recovery':
      return { [own.rule]: work.rule, [own.attempt]: work.attempt };
    case 'pause':
      return {};
    default:
      return work satisfies never;
  }
}

/** What the event that ended it tells of it. */
export function replyAttributes(
  { kind, since }: Work,
  { seen: { event }, firstChunkAt }: Happening,
): Attributes {
  if (kind === 'model' && event.type === 'model-replied') {
    const first = firstChunkAt === null ? null : Math.max(0, firstChunkAt - since) / 1_000;
    return { ...modelReply(event), ...(first !== null && { [attribute.timeToFirstChunk]: first }) };
  }
  if (kind === 'permission' && event.type === 'permission-decided') return { [own.decision]: event.decision };
  if (kind === 'paging' && event.type === 'paging-finished') return { [own.freedTokens]: event.freedTokens };
  if (kind === 'recovery' && event.type === 'recovery-finished') return { [own.outcome]: event.outcome.kind };
  return {};
}

function modelReply({
  usage,
  calls,
  problem,
}: Extract<Event, { readonly type: 'model-replied' }>): Attributes {
  return {
    [attribute.finishReasons]: [finishReason(calls.length)],
    [own.understood]: problem === undefined,
    ...(usage && {
      [attribute.inputTokens]: usage.inputTokens,
      [attribute.outputTokens]: usage.outputTokens,
    }),
    ...(usage?.cost !== undefined && { [own.cost]: usage.cost }),
  };
}

export function endAttributes(end: End, event: Event): Attributes {
  if (end.kind === 'failed') return { [attribute.errorType]: end.error };
  return end.kind === 'called-off' ? { [own.calledOffBy]: event.type } : {};
}

export function exceptionsOf(end: End, at: number, message: string | undefined): readonly SpanEvent[] {
  if (end.kind !== 'failed') return [];
  const attributes = {
    [attribute.exceptionType]: end.error,
    ...(message !== undefined && { [attribute.exceptionMessage]: message }),
  };
  return [{ name: exceptionEvent, at, attributes }];
}

export function eventsIn({ verdicts, seen: { event, notes } }: Happening): readonly SpanEvent[] {
  const { at } = event;
  return [
    ...verdicts.map((verdict) => ({ name: own.verdictEvent, at, attributes: verdictAttributes(verdict) })),
    ...notes.flatMap((note) =>
      note.type === 'paged'
        ? [
            {
              name: own.pagedEvent,
              at,
              attributes: { [own.movedEntries]: note.moved.length, [own.freedTokens]: note.freedTokens },
            },
          ]
        : [],
    ),
  ];
}

function verdictAttributes({ rule, level, response, evidence }: Verdict): Attributes {
  return {
    [own.rule]: rule,
    [own.level]: level,
    [own.response]: response.kind,
    [own.evidence]: [...evidence],
  };
}
