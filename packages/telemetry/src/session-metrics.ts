import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import { getEventUsage, type Event } from '@pawl/core';
import type { EndedOperation } from './operation-result.ts';
import type { StepObservation } from './step-observation.ts';
import { counterDefinitions, histogramDefinitions } from './metric-definitions.ts';
import type { ModelIdentity } from './model-identity.ts';
import { otelAttributes, otelOperations, pawlAttributes } from './semconv.ts';
import { createVerdictOutcomeTracker } from './verdict-outcomes.ts';

export type MetricInstruments = {
  readonly [Name in keyof typeof counterDefinitions]: Counter;
} & { readonly [Name in keyof typeof histogramDefinitions]: Histogram };

export function createInstruments(meter: Meter): MetricInstruments {
  const counting = Object.entries(counterDefinitions).map(([key, { name, unit, description }]) => [
    key,
    meter.createCounter(name, { unit, description }),
  ]);
  const timing = Object.entries(histogramDefinitions).map(
    ([key, { name, unit, description, boundaries }]) => [
      key,
      meter.createHistogram(name, {
        unit,
        description,
        advice: { explicitBucketBoundaries: [...boundaries] },
      }),
    ],
  );
  const instruments = Object.fromEntries([...counting, ...timing]) as MetricInstruments;
  // Initialize these counters to 0, because otherwise their first increment would not register as a change.
  for (const key of ['cost', 'freedTokens', 'movedEntries', 'leaseLosses'] as const) instruments[key].add(0);
  return instruments;
}

export type SessionMetricsObserver = { see(happening: StepObservation): void; end(): void };

type SessionMetricsContext = {
  readonly instruments: MetricInstruments;
  readonly model: () => ModelIdentity;
  /** Converts a tool name to a metric label. */
  readonly toolLabel: (tool: string) => string;
};

/** Records the metrics of one session. */
export function createSessionMetricsObserver(means: SessionMetricsContext): SessionMetricsObserver {
  const { instruments } = means;
  const outcomes = createVerdictOutcomeTracker((attributes) =>
    instruments.verdictOutcomes.add(1, attributes),
  );
  return {
    see(happening) {
      recordNotes(happening, instruments);
      for (const ended of happening.ended) recordOperation(ended, happening, means);
      for (const { rule, level, response } of happening.verdicts)
        instruments.verdicts.add(1, {
          [pawlAttributes.rule]: rule,
          [pawlAttributes.level]: level,
          [pawlAttributes.response]: response.kind,
        });
      outcomes.see(happening);
      const { endedTurn, seen } = happening;
      if (endedTurn === null) return;
      instruments.turn.record(getElapsedSeconds(endedTurn.heardAt, seen.event.at), {
        [otelAttributes.agentName]: seen.session.profile,
        [pawlAttributes.ending]: endedTurn.ending,
        ...errorTypeAttribute(endedTurn.end),
      });
    },
    end: () => outcomes.end(),
  };
}

function recordNotes({ seen: { notes, event } }: StepObservation, instruments: MetricInstruments): void {
  for (const note of notes) {
    if (note.type === 'transition' || note.type === 'mode') {
      const machine = note.type === 'mode' ? 'mode' : 'turn';
      instruments.transitions.add(1, {
        [pawlAttributes.machine]: machine,
        [pawlAttributes.from]: note.from,
        [pawlAttributes.to]: note.to,
      });
    }
    if (note.type === 'paged') {
      instruments.movedEntries.add(note.moved.length);
      // If a paging action ran, `paging-finished` reports the freed tokens.
      if (event.type !== 'paging-finished') instruments.freedTokens.add(note.freedTokens);
    }
  }
}

function recordOperation(
  { work, end }: EndedOperation,
  happening: StepObservation,
  means: SessionMetricsContext,
): void {
  const { instruments, model, toolLabel } = means;
  const { event } = happening.seen;
  const took = getElapsedSeconds(work.since, event.at);
  // The duration of a cancelled operation is not meaningful.
  if (end.kind === 'called-off') return;
  switch (work.kind) {
    case 'model':
      return recordModelCall(took, { work, end }, happening, { instruments, model });
    case 'tool':
      return instruments.toolCall.record(took, {
        [otelAttributes.toolName]: toolLabel(work.call.tool),
        ...errorTypeAttribute(end),
      });
    case 'permission':
      return instruments.permission.record(took, {
        [pawlAttributes.decision]: event.type === 'permission-decided' ? event.decision : 'none',
      });
    case 'hooks':
      return instruments.hooks.record(took, errorTypeAttribute(end));
    case 'paging':
      instruments.paging.add(1, { [pawlAttributes.outcome]: end.kind });
      if (event.type === 'paging-finished') instruments.freedTokens.add(Math.max(0, event.freedTokens));
      // Another model may have written the summaries, and the log does not name it.
      return recordTokenUsage(event, {}, instruments);
    case 'retry':
      return instruments.retries.add(1, {
        [pawlAttributes.of]: work.of,
        [otelAttributes.errorType]: work.error,
      });
    case 'recovery':
    case 'pause':
      return undefined;
    default:
      return work satisfies never;
  }
}

function recordModelCall(
  took: number,
  { work, end }: EndedOperation,
  { seen: { event }, firstChunkAt }: StepObservation,
  { instruments, model }: Pick<SessionMetricsContext, 'instruments' | 'model'>,
): void {
  const names = model();
  const named = { [otelAttributes.provider]: names.provider, [otelAttributes.requestModel]: names.model };
  const asked = { ...named, [otelAttributes.operation]: otelOperations.chat };
  instruments.modelCall.record(took, { ...asked, ...errorTypeAttribute(end) });
  if (firstChunkAt !== null)
    instruments.firstChunk.record(getElapsedSeconds(work.since, firstChunkAt), asked);
  recordTokenUsage(event, named, instruments);
}

function recordTokenUsage(
  event: Event,
  named: Attributes,
  instruments: SessionMetricsContext['instruments'],
): void {
  const usage = getEventUsage(event);
  if (usage === undefined) return;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  instruments.tokens.add(toPositiveNumber(inputTokens), { ...named, [otelAttributes.tokenType]: 'input' });
  instruments.tokens.add(toPositiveNumber(outputTokens), { ...named, [otelAttributes.tokenType]: 'output' });
  if (cost > 0) instruments.cost.add(toPositiveNumber(cost), named);
}

function errorTypeAttribute(end: EndedOperation['end']): Attributes {
  return end.kind === 'failed' ? { [otelAttributes.errorType]: end.error } : {};
}

/** A counter that decreases or becomes infinite would look like a reset. */
function toPositiveNumber(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function getElapsedSeconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000;
}
