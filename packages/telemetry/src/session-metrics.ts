import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import { usageOf, type Event } from '@pawl/core';
import type { Ended } from './ended.ts';
import type { Happening } from './happening.ts';
import { counters, histograms } from './metrics.ts';
import type { ModelNames } from './model-names.ts';
import { attribute, operation, own } from './semconv.ts';
import { createVerdictOutcomes } from './verdict-outcomes.ts';

export type Instruments = {
  readonly [Name in keyof typeof counters]: Counter;
} & { readonly [Name in keyof typeof histograms]: Histogram };

export function openInstruments(meter: Meter): Instruments {
  const counting = Object.entries(counters).map(([key, { name, unit, description }]) => [
    key,
    meter.createCounter(name, { unit, description }),
  ]);
  const timing = Object.entries(histograms).map(([key, { name, unit, description, boundaries }]) => [
    key,
    meter.createHistogram(name, {
      unit,
      description,
      advice: { explicitBucketBoundaries: [...boundaries] },
    }),
  ]);
  const instruments = Object.fromEntries([...counting, ...timing]) as Instruments;
  // What never happened is 0, not unknown: otherwise its first time would not be seen as a change.
  for (const key of ['cost', 'freedTokens', 'movedEntries', 'leaseLosses'] as const) instruments[key].add(0);
  return instruments;
}

export type SessionMetrics = { see(happening: Happening): void; end(): void };

type Means = {
  readonly instruments: Instruments;
  readonly model: () => ModelNames;
  /** The name of a tool as it may stand in a label. */
  readonly toolLabel: (tool: string) => string;
};

/** Counts and times what happens in one session. */
export function createSessionMetrics(means: Means): SessionMetrics {
  const { instruments } = means;
  const outcomes = createVerdictOutcomes((attributes) => instruments.verdictOutcomes.add(1, attributes));
  return {
    see(happening) {
      countNotes(happening, instruments);
      for (const ended of happening.ended) timeWork(ended, happening, means);
      for (const { rule, level, response } of happening.verdicts)
        instruments.verdicts.add(1, { [own.rule]: rule, [own.level]: level, [own.response]: response.kind });
      outcomes.see(happening);
      const { endedTurn, seen } = happening;
      if (endedTurn === null) return;
      instruments.turn.record(seconds(endedTurn.heardAt, seen.event.at), {
        [attribute.agentName]: seen.session.profile,
        [own.ending]: endedTurn.ending,
        ...errorType(endedTurn.end),
      });
    },
    end: () => outcomes.end(),
  };
}

function countNotes({ seen: { notes, event } }: Happening, instruments: Instruments): void {
  for (const note of notes) {
    if (note.type === 'transition' || note.type === 'mode') {
      const machine = note.type === 'mode' ? 'mode' : 'turn';
      instruments.transitions.add(1, { [own.machine]: machine, [own.from]: note.from, [own.to]: note.to });
    }
    if (note.type === 'paged') {
      instruments.movedEntries.add(note.moved.length);
      // Where something was asked to make room, `paging-finished` says how much it freed.
      if (event.type !== 'paging-finished') instruments.freedTokens.add(note.freedTokens);
    }
  }
}

function timeWork({ work, end }: Ended, happening: Happening, means: Means): void {
  const { instruments, model, toolLabel } = means;
  const { event } = happening.seen;
  const took = seconds(work.since, event.at);
  // What was called off says nothing about how long it takes.
  if (end.kind === 'called-off') return;
  switch (work.kind) {
    case 'model':
      return countModel(took, { work, end }, happening, { instruments, model });
    case 'tool':
      return instruments.toolCall.record(took, {
        [attribute.toolName]: toolLabel(work.call.tool),
        ...errorType(end),
      });
    case 'permission':
      return instruments.permission.record(took, {
        [own.decision]: event.type === 'permission-decided' ? event.decision : 'none',
      });
    case 'hooks':
      return instruments.hooks.record(took, errorType(end));
    case 'paging':
      instruments.paging.add(1, { [own.outcome]: end.kind });
      if (event.type === 'paging-finished') instruments.freedTokens.add(Math.max(0, event.freedTokens));
      // Summaries may be another model's work, which the log does not name.
      return countUsage(event, {}, instruments);
    case 'retry':
      return instruments.retries.add(1, { [own.of]: work.of, [attribute.errorType]: work.error });
    case 'recovery':
    case 'pause':
      return undefined;
    default:
      return work satisfies never;
  }
}

function countModel(
  took: number,
  { work, end }: Ended,
  { seen: { event }, firstChunkAt }: Happening,
  { instruments, model }: Pick<Means, 'instruments' | 'model'>,
): void {
  const names = model();
  const named = { [attribute.provider]: names.provider, [attribute.requestModel]: names.model };
  const asked = { ...named, [attribute.operation]: operation.chat };
  instruments.modelCall.record(took, { ...asked, ...errorType(end) });
  if (firstChunkAt !== null) instruments.firstChunk.record(seconds(work.since, firstChunkAt), asked);
  countUsage(event, named, instruments);
}

function countUsage(event: Event, named: Attributes, instruments: Means['instruments']): void {
  const usage = usageOf(event);
  if (usage === undefined) return;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  instruments.tokens.add(positive(inputTokens), { ...named, [attribute.tokenType]: 'input' });
  instruments.tokens.add(positive(outputTokens), { ...named, [attribute.tokenType]: 'output' });
  if (cost > 0) instruments.cost.add(positive(cost), named);
}

function errorType(end: Ended['end']): Attributes {
  return end.kind === 'failed' ? { [attribute.errorType]: end.error } : {};
}

/** A counter that goes down, or to infinity, would look as if it had begun anew. */
function positive(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000;
}
