import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import { getEventUsage, type Event, type TokenUsage, type Verdict } from '@pawl/core';
import { counterDefinitions, histogramDefinitions } from './metric-definitions.ts';
import {
  getModelAttributes,
  otelAttributes,
  otelToolType,
  pawlAttributes,
  type ModelIdentity,
} from './semconv.ts';
import type { EndedOperation, StepObservation } from './step-observation.ts';

export type MetricInstruments = {
  readonly [Name in keyof typeof counterDefinitions]: Counter;
} & { readonly [Name in keyof typeof histogramDefinitions]: Histogram };

export function createInstruments(meter: Meter): MetricInstruments {
  const counters = Object.entries(counterDefinitions).map(([key, { name, unit, description }]) => [
    key,
    meter.createCounter(name, { unit, description }),
  ]);
  const histograms = Object.entries(histogramDefinitions).map(
    ([key, { name, unit, description, boundaries }]) => [
      key,
      meter.createHistogram(name, {
        unit,
        description,
        advice: { explicitBucketBoundaries: [...boundaries] },
      }),
    ],
  );
  const instruments = Object.fromEntries([...counters, ...histograms]) as MetricInstruments;
  // Initialize these counters to 0, because otherwise their first increment would not register as a change.
  for (const key of ['cost', 'freedTokens', 'movedEntries', 'leaseLosses'] as const) instruments[key].add(0);
  return instruments;
}

export type SessionMetricsObserver = { observe(observation: StepObservation): void; end(): void };

type SessionMetricsContext = {
  readonly instruments: MetricInstruments;
  readonly model: () => ModelIdentity;
  /** Converts a tool name to a metric label. */
  readonly toolLabel: (tool: string) => string;
  /** Converts the name of the model that answered to a metric label. */
  readonly responseModelLabel: (model: string) => string;
};

/** Records the metrics of one session. */
export function createSessionMetricsObserver(context: SessionMetricsContext): SessionMetricsObserver {
  const { instruments } = context;
  const outcomes = createVerdictOutcomeTracker((attributes) =>
    instruments.verdictOutcomes.add(1, attributes),
  );
  return {
    observe(observation) {
      recordNotes(observation, instruments);
      for (const ended of observation.endedOperations) recordOperation(ended, observation, context);
      for (const { rule, severity, response } of observation.verdicts)
        instruments.verdicts.add(1, {
          [pawlAttributes.rule]: rule,
          [pawlAttributes.level]: severity,
          [pawlAttributes.response]: response.kind,
        });
      outcomes.observe(observation);
      const { endedTurn, stepResult } = observation;
      if (endedTurn === null) return;
      instruments.turn.record(getElapsedSeconds(endedTurn.startedAt, stepResult.event.at), {
        [otelAttributes.agentName]: stepResult.session.profile,
        [pawlAttributes.ending]: endedTurn.ending,
        ...errorTypeAttribute(endedTurn.result),
      });
    },
    end: () => outcomes.end(),
  };
}

function recordNotes(
  { stepResult: { notes, event } }: StepObservation,
  instruments: MetricInstruments,
): void {
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
  { operation, result }: EndedOperation,
  observation: StepObservation,
  context: SessionMetricsContext,
): void {
  const { instruments, toolLabel } = context;
  const { event, session } = observation.stepResult;
  const seconds = getElapsedSeconds(operation.since, event.at);
  // The duration of a cancelled operation is not meaningful.
  if (result.kind === 'cancelled') return;
  switch (operation.kind) {
    case 'model':
      return recordModelCall(seconds, { operation, result }, observation, context);
    case 'tool':
      return instruments.toolCall.record(seconds, {
        [otelAttributes.toolName]: toolLabel(operation.call.tool),
        [otelAttributes.toolType]: otelToolType,
        [otelAttributes.agentName]: session.profile,
        ...errorTypeAttribute(result),
      });
    case 'permission':
      return instruments.permission.record(seconds, {
        [pawlAttributes.decision]: event.type === 'permission-decided' ? event.decision : 'none',
      });
    case 'hooks':
      return instruments.hooks.record(seconds, errorTypeAttribute(result));
    case 'paging':
      instruments.paging.add(1, { [pawlAttributes.outcome]: result.kind });
      if (event.type === 'paging-finished') instruments.freedTokens.add(Math.max(0, event.freedTokens));
      // Another model may have written the summaries, and the log does not name it.
      return recordTokenUsage(event, {}, instruments);
    case 'retry':
      return instruments.retries.add(1, {
        [pawlAttributes.of]: operation.of,
        [otelAttributes.errorType]: operation.error,
      });
    case 'recovery':
    case 'pause':
      return undefined;
    default:
      return operation satisfies never;
  }
}

function recordModelCall(
  seconds: number,
  { operation, result }: EndedOperation,
  { stepResult: { event }, firstChunkAt, response }: StepObservation,
  { instruments, model, responseModelLabel }: SessionMetricsContext,
): void {
  const identity = model();
  const callAttributes = {
    ...getModelAttributes(identity),
    ...(response.model !== undefined && {
      [otelAttributes.responseModel]: responseModelLabel(response.model),
    }),
  };
  instruments.modelCall.record(seconds, { ...callAttributes, ...errorTypeAttribute(result) });
  if (firstChunkAt !== null)
    instruments.firstChunk.record(getElapsedSeconds(operation.since, firstChunkAt), callAttributes);
  const usage = getEventUsage(event);
  if (usage !== undefined)
    for (const [type, tokens] of listTokenCounts(usage))
      instruments.tokenUsage.record(tokens, { ...callAttributes, [otelAttributes.tokenType]: type });
  const { provider, model: requestModel } = identity;
  const modelAttributes = {
    [otelAttributes.provider]: provider,
    [otelAttributes.requestModel]: requestModel,
  };
  recordTokenUsage(event, modelAttributes, instruments);
}

function recordTokenUsage(
  event: Event,
  modelAttributes: Attributes,
  instruments: SessionMetricsContext['instruments'],
): void {
  const usage = getEventUsage(event);
  if (usage === undefined) return;
  for (const [type, tokens] of listTokenCounts(usage))
    instruments.tokens.add(tokens, { ...modelAttributes, [otelAttributes.tokenType]: type });
  const { cost = 0 } = usage;
  if (cost > 0) instruments.cost.add(toPositiveNumber(cost), modelAttributes);
}

function listTokenCounts({ inputTokens, outputTokens }: TokenUsage): readonly (readonly [string, number])[] {
  return [
    ['input', toPositiveNumber(inputTokens)],
    ['output', toPositiveNumber(outputTokens)],
  ];
}

function errorTypeAttribute(result: EndedOperation['result']): Attributes {
  return result.kind === 'failed' ? { [otelAttributes.errorType]: result.error } : {};
}

/** A counter that decreases or becomes infinite would look like a reset. */
function toPositiveNumber(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function getElapsedSeconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000;
}

export type VerdictOutcomeTracker = { observe(observation: StepObservation): void; end(): void };

/**
 * Reports the outcome of each verdict's response: `repeated` if the same rule matched again in that turn, `left` if the
 * session was released, otherwise how the turn ended.
 */
function createVerdictOutcomeTracker(report: (attributes: Attributes) => void): VerdictOutcomeTracker {
  const open = new Map<string, Verdict>();
  const close = (outcome: string): void => {
    for (const verdict of open.values()) report(getVerdictOutcomeAttributes(verdict, outcome));
    open.clear();
  };
  return {
    observe({ verdicts, endedTurn }) {
      for (const verdict of verdicts) {
        const earlier = open.get(verdict.rule);
        if (earlier !== undefined) report(getVerdictOutcomeAttributes(earlier, 'repeated'));
        open.set(verdict.rule, verdict);
      }
      if (endedTurn !== null) close(endedTurn.ending);
    },
    end: () => close('left'),
  };
}

function getVerdictOutcomeAttributes({ rule, response }: Verdict, outcome: string): Attributes {
  return {
    [pawlAttributes.rule]: rule,
    [pawlAttributes.response]: response.kind,
    [pawlAttributes.outcome]: outcome,
  };
}
