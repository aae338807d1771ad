import type { Session } from '@pawl/core';
import { contentOf } from './content.ts';
import type { End, Ended } from './ended.ts';
import type { Happening } from './happening.ts';
import type { ModelNames } from './model-names.ts';
import { attribute, operation, own } from './semconv.ts';
import {
  endAttributes,
  eventsIn,
  exceptionsOf,
  replyAttributes,
  sessionAttributes,
  workAttributes,
} from './span-attributes.ts';
import type { SpanEvent, WriteSpan, WrittenSpan } from './span-writer.ts';
import { rootKey, stayOf } from './stay.ts';
import { turnKey, type EndedTurn } from './turns.ts';
import { spanKeyOf, type Work, type WorkKind } from './work.ts';

export type SpanMeans = {
  readonly write: WriteSpan;
  readonly now: () => number;
  readonly model: () => ModelNames;
  /** Null unless what was said is to be sent as well; then what must not be. */
  readonly content: { readonly secrets: readonly string[] } | null;
};

export type SessionSpans = {
  see(happening: Happening): void;
  /** Ends what stands for this stay with the session. */
  end(): void;
};

/** How many events of a turn are kept that belong to no other span. */
const eventsMax = 100;

/**
 * Writes the spans of one session for as long as it is here. A span is written by whoever takes the event that ends it, so each is
 * written once, whoever began it.
 */
export function createSessionSpans(session: Session, means: SpanMeans): SessionSpans {
  const { write, now } = means;
  const { id } = session;
  const stay = stayOf(session, now());
  let loose: SpanEvent[] = [];
  let last = session;
  return {
    see(happening) {
      const { seen, endedTurn } = happening;
      last = seen.session;
      stay.see(seen.session.seq, seen.event.at);
      const events = eventsIn(happening);
      for (const [index, ended] of happening.ended.entries()) {
        // Verdicts belong to the work that they were reached on.
        writeWork(ended, happening, { ...means, id, events: index === 0 ? events : [] });
      }
      if (happening.ended.length === 0) loose = [...loose, ...events].slice(-eventsMax);
      if (endedTurn === null) return;
      write(turnSpan(endedTurn, happening, { events: loose, model: means.model() }));
      loose = [];
    },
    end() {
      const span = stay.span(now());
      if (span !== null) write({ ...span, attributes: { ...sessionAttributes(last), ...span.attributes } });
    },
  };
}

type TurnMeans = { readonly events: readonly SpanEvent[]; readonly model: ModelNames };

function turnSpan(ended: EndedTurn, happening: Happening, { events, model }: TurnMeans): WrittenSpan {
  const { session, event } = happening.seen;
  return {
    session: session.id,
    key: turnKey(ended),
    parent: rootKey,
    name: `${operation.agent} ${session.profile}`,
    start: ended.heardAt,
    end: event.at,
    events,
    error: errorOf(ended.end),
    attributes: {
      ...sessionAttributes(session),
      [attribute.operation]: operation.agent,
      [attribute.agentName]: session.profile,
      [attribute.requestModel]: model.model,
      [own.ending]: ended.ending,
      ...endAttributes(ended.end, event),
    },
  };
}

type WorkMeans = SpanMeans & {
  readonly id: string;
  readonly events: readonly SpanEvent[];
};

function writeWork(ended: Ended, happening: Happening, means: WorkMeans): void {
  const { work, end } = ended;
  const { event } = happening.seen;
  const { id, content } = means;
  const said = content === null ? {} : contentOf(ended, happening, content.secrets);
  const { [attribute.exceptionMessage]: message, ...parts } = said;
  means.write({
    session: id,
    key: spanKeyOf(id, work),
    parent: happening.turn === null ? rootKey : turnKey(happening.turn),
    name: names[work.kind](work, means.model()),
    isClient: work.kind === 'model',
    start: work.since,
    end: event.at,
    error: errorOf(end),
    events: [...means.events, ...exceptionsOf(end, event.at, message)],
    attributes: {
      [attribute.conversationId]: id,
      [own.seq]: happening.seen.session.seq,
      ...workAttributes(work, means.model()),
      ...endAttributes(end, event),
      ...replyAttributes(work, happening),
      ...parts,
    },
  });
}

/** A model can give a tool any name. */
const nameCharsMax = 100;

const names: Readonly<Record<WorkKind, (work: Work, model: ModelNames) => string>> = {
  model: (_, { model }) => `${operation.chat} ${model}`,
  tool: (work) => `${operation.tool} ${work.kind === 'tool' ? work.call.tool.slice(0, nameCharsMax) : ''}`,
  permission: () => 'wait for permission',
  hooks: () => 'run hooks',
  paging: () => 'page memory',
  retry: () => 'wait to retry',
  recovery: () => 'recover',
  pause: () => 'paused',
};

function errorOf(end: End): string | null {
  return end.kind === 'failed' ? end.error : null;
}
