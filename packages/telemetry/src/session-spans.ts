import type { Session } from '@pawl/core';
import { findOpenTurn, type EndedTurn, type SpanResult } from '@pawl/core/projections';
import {
  buildContentAttributes,
  getResultAttributes,
  createSpanEvents,
  createExceptionEvents,
  getCompletionAttributes,
  getSessionAttributes,
  getOperationAttributes,
} from './span-attributes.ts';
import { otelAttributes, otelOperations, pawlAttributes, type ModelIdentity } from './semconv.ts';
import { getSpanKey, getTurnKey, type SpanEvent, type SpanWriter, type SpanRecord } from './span-writer.ts';
import type { EndedOperation, OperationSpan, StepObservation } from './step-observation.ts';

export type SessionSpansContext = {
  readonly write: SpanWriter;
  readonly now: () => number;
  readonly model: () => ModelIdentity;
  /** Null unless message content is exported; then the secrets to mask. */
  readonly content: { readonly secrets: readonly string[] } | null;
};

export type SessionSpans = {
  observe(observation: StepObservation): void;
  /** Ends the span of this process's time with the session. */
  end(): void;
};

/** Maximum number of span events per turn that belong to no operation span. */
const turnEventsMax = 100;

/**
 * Writes the spans of one session while it is in this process. The process that handles the event that ends a span
 * writes it, so each span is written exactly once, regardless of which process started it.
 */
export function createSessionSpans(session: Session, context: SessionSpansContext): SessionSpans {
  const { write, now } = context;
  const { id } = session;
  const processStay = createSessionStay(session, now());
  let turnEvents: SpanEvent[] = [];
  let latest = session;
  return {
    observe(observation) {
      const { stepResult, endedTurn } = observation;
      latest = stepResult.session;
      processStay.observe(stepResult.session.seq, stepResult.event.at);
      const events = createSpanEvents(observation);
      for (const [index, ended] of observation.endedOperations.entries()) {
        // Verdicts belong to the operation they were reached on.
        writeOperationSpan(ended, observation, { ...context, id, events: index === 0 ? events : [] });
      }
      if (observation.endedOperations.length === 0)
        turnEvents = [...turnEvents, ...events].slice(-turnEventsMax);
      if (endedTurn === null) return;
      write(buildTurnSpan(endedTurn, observation, { events: turnEvents, model: context.model() }));
      turnEvents = [];
    },
    end() {
      const span = processStay.createSpan(now());
      if (span !== null)
        write({ ...span, attributes: { ...getSessionAttributes(latest), ...span.attributes } });
    },
  };
}

type TurnSpanContext = { readonly events: readonly SpanEvent[]; readonly model: ModelIdentity };

function buildTurnSpan(
  ended: EndedTurn,
  observation: StepObservation,
  { events, model }: TurnSpanContext,
): SpanRecord {
  const { session, event } = observation.stepResult;
  return {
    session: session.id,
    key: getTurnKey(ended),
    parent: rootSpanKey,
    name: `${otelOperations.agent} ${session.profile}`,
    start: ended.startedAt,
    end: event.at,
    events,
    error: getResultError(ended.result),
    attributes: {
      ...getSessionAttributes(session),
      [otelAttributes.operation]: otelOperations.agent,
      [otelAttributes.agentName]: session.profile,
      [otelAttributes.provider]: model.provider,
      [otelAttributes.requestModel]: model.model,
      [pawlAttributes.ending]: ended.ending,
      ...getResultAttributes(ended.result, event),
    },
  };
}

type OperationSpanContext = SessionSpansContext & {
  readonly id: string;
  readonly events: readonly SpanEvent[];
};

function writeOperationSpan(
  ended: EndedOperation,
  observation: StepObservation,
  context: OperationSpanContext,
): void {
  const { operation, result } = ended;
  const { event } = observation.stepResult;
  const { id, content } = context;
  const contentAttributes =
    content === null ? {} : buildContentAttributes(ended, observation, content.secrets);
  const { [otelAttributes.exceptionMessage]: message, ...parts } = contentAttributes;
  context.write({
    session: id,
    key: getSpanKey(id, operation),
    parent: observation.turn === null ? rootSpanKey : getTurnKey(observation.turn),
    name: spanNameByKind[operation.kind](operation, context.model()),
    isClient: operation.kind === 'model',
    start: operation.since,
    end: event.at,
    error: getResultError(result),
    events: [...context.events, ...createExceptionEvents(result, event.at, message)],
    attributes: {
      [otelAttributes.conversationId]: id,
      [pawlAttributes.seq]: observation.stepResult.session.seq,
      ...getOperationAttributes(operation, {
        model: context.model(),
        agentName: observation.stepResult.session.profile,
      }),
      ...getResultAttributes(result, event),
      ...getCompletionAttributes(operation, observation),
      ...parts,
    },
  });
}

/** Limited because a model can give a tool any name. */
const nameCharsMax = 100;

const spanNameByKind: Readonly<
  Record<OperationSpan['kind'], (work: OperationSpan, model: ModelIdentity) => string>
> = {
  model: (_, { model }) => `${otelOperations.chat} ${model}`,
  tool: (work) =>
    `${otelOperations.tool} ${work.kind === 'tool' ? work.call.tool.slice(0, nameCharsMax) : ''}`,
  permission: () => 'wait for permission',
  hooks: () => 'run hooks',
  paging: () => 'page memory',
  retry: () => 'wait to retry',
  recovery: () => 'recover',
  pause: () => 'paused',
};

function getResultError(result: SpanResult): string | null {
  return result.kind === 'failed' ? result.error : null;
}

/** The key of the root span of a session's trace. */
const rootSpanKey = 'session';

export type SessionStay = {
  observe(seq: number, at: number): void;
  createSpan(now: number): SpanRecord | null;
};

/**
 * The time that a session spends in this process. The process that appends its second event writes the root span, and
 * the log ensures that only one does; all other stays are its children and link to the turn they continued.
 */
function createSessionStay(session: Session, since: number): SessionStay {
  const { id, seq } = session;
  const turn = findOpenTurn(session);
  let startedAt: number | null = null;
  let isRoot = false;
  return {
    observe(number, at) {
      startedAt ??= Math.min(at, turn?.startedAt ?? at);
      isRoot ||= number === 2;
    },
    createSpan(now) {
      if (startedAt === null) return null;
      const shared = { session: id, end: now, attributes: {}, events: [], error: null };
      if (isRoot) return { ...shared, key: rootSpanKey, parent: null, name: 'session', start: startedAt };
      const links = turn === null ? [] : [getTurnKey(turn)];
      const name = 'session resumed';
      return { ...shared, key: `stay ${seq}`, parent: rootSpanKey, name, start: since, links };
    },
  };
}
