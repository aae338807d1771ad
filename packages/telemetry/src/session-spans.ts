import type { Session } from '@pawl/core';
import { buildContentAttributes } from './content.ts';
import type { OperationResult, EndedOperation } from './operation-result.ts';
import type { StepObservation } from './step-observation.ts';
import type { ModelIdentity } from './model-identity.ts';
import { otelAttributes, otelOperations, pawlAttributes } from './semconv.ts';
import {
  getResultAttributes,
  createSpanEvents,
  createExceptionEvents,
  getCompletionAttributes,
  getSessionAttributes,
  getOperationAttributes,
} from './span-attributes.ts';
import type { SpanEvent, SpanWriter, SpanRecord } from './span-writer.ts';
import { rootSpanKey, createSessionStay } from './session-stay.ts';
import { getTurnKey, type EndedTurn } from './open-turn.ts';
import { getSpanKey, type PendingOperation, type OperationKind } from './pending-operation.ts';

export type SessionSpansContext = {
  readonly write: SpanWriter;
  readonly now: () => number;
  readonly model: () => ModelIdentity;
  /** Null unless message content is exported; then the secrets to mask. */
  readonly content: { readonly secrets: readonly string[] } | null;
};

export type SessionSpans = {
  see(happening: StepObservation): void;
  /** Ends the span of this process's time with the session. */
  end(): void;
};

/** Maximum number of span events per turn that belong to no operation span. */
const turnEventsMax = 100;

/**
 * Writes the spans of one session while it is in this process. The process that handles the event that ends a span
 * writes it, so each span is written exactly once, regardless of which process started it.
 */
export function createSessionSpans(session: Session, means: SessionSpansContext): SessionSpans {
  const { write, now } = means;
  const { id } = session;
  const stay = createSessionStay(session, now());
  let loose: SpanEvent[] = [];
  let last = session;
  return {
    see(happening) {
      const { seen, endedTurn } = happening;
      last = seen.session;
      stay.see(seen.session.seq, seen.event.at);
      const events = createSpanEvents(happening);
      for (const [index, ended] of happening.ended.entries()) {
        // Verdicts belong to the operation they were reached on.
        writeOperationSpan(ended, happening, { ...means, id, events: index === 0 ? events : [] });
      }
      if (happening.ended.length === 0) loose = [...loose, ...events].slice(-turnEventsMax);
      if (endedTurn === null) return;
      write(buildTurnSpan(endedTurn, happening, { events: loose, model: means.model() }));
      loose = [];
    },
    end() {
      const span = stay.span(now());
      if (span !== null)
        write({ ...span, attributes: { ...getSessionAttributes(last), ...span.attributes } });
    },
  };
}

type TurnSpanContext = { readonly events: readonly SpanEvent[]; readonly model: ModelIdentity };

function buildTurnSpan(
  ended: EndedTurn,
  happening: StepObservation,
  { events, model }: TurnSpanContext,
): SpanRecord {
  const { session, event } = happening.seen;
  return {
    session: session.id,
    key: getTurnKey(ended),
    parent: rootSpanKey,
    name: `${otelOperations.agent} ${session.profile}`,
    start: ended.heardAt,
    end: event.at,
    events,
    error: getResultError(ended.end),
    attributes: {
      ...getSessionAttributes(session),
      [otelAttributes.operation]: otelOperations.agent,
      [otelAttributes.agentName]: session.profile,
      [otelAttributes.requestModel]: model.model,
      [pawlAttributes.ending]: ended.ending,
      ...getResultAttributes(ended.end, event),
    },
  };
}

type OperationSpanContext = SessionSpansContext & {
  readonly id: string;
  readonly events: readonly SpanEvent[];
};

function writeOperationSpan(
  ended: EndedOperation,
  happening: StepObservation,
  means: OperationSpanContext,
): void {
  const { work, end } = ended;
  const { event } = happening.seen;
  const { id, content } = means;
  const said = content === null ? {} : buildContentAttributes(ended, happening, content.secrets);
  const { [otelAttributes.exceptionMessage]: message, ...parts } = said;
  means.write({
    session: id,
    key: getSpanKey(id, work),
    parent: happening.turn === null ? rootSpanKey : getTurnKey(happening.turn),
    name: spanNameByKind[work.kind](work, means.model()),
    isClient: work.kind === 'model',
    start: work.since,
    end: event.at,
    error: getResultError(end),
    events: [...means.events, ...createExceptionEvents(end, event.at, message)],
    attributes: {
      [otelAttributes.conversationId]: id,
      [pawlAttributes.seq]: happening.seen.session.seq,
      ...getOperationAttributes(work, means.model()),
      ...getResultAttributes(end, event),
      ...getCompletionAttributes(work, happening),
      ...parts,
    },
  });
}

/** Limited because a model can give a tool any name. */
const nameCharsMax = 100;

const spanNameByKind: Readonly<
  Record<OperationKind, (work: PendingOperation, model: ModelIdentity) => string>
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

function getResultError(end: OperationResult): string | null {
  return end.kind === 'failed' ? end.error : null;
}
