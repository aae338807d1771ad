import { createEventNormalizer, getConversation, type Session, findTurnAnswer } from '@pawl/core';
import { deriveSessionEnding, type SessionTotals } from '@pawl/core/projections';
import { isJsonEqual } from '../../app/json-equal.ts';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { getStatusLabel } from '../../app/tones.ts';

/** Where two runs diverge: the number of common events, and the total of each run. */
export type RunDivergence = { readonly common: number; readonly a: number; readonly b: number };

/** Compares two runs event by event up to the first difference. */
export function findRunDivergence(a: ReplayedTimeline, b: ReplayedTimeline): RunDivergence {
  const [normalizeA, normalizeB] = [createEventNormalizer(), createEventNormalizer()];
  const length = Math.min(a.length, b.length);
  let common = 0;
  while (common < length && isJsonEqual(normalizeA(a.entry(common).event), normalizeB(b.entry(common).event)))
    common += 1;
  return { common, a: a.length, b: b.length };
}

/** Describes in words where and how the runs diverge. */
export function describeDivergence({ common, a, b }: RunDivergence): string {
  const events = `${common.toLocaleString('en')} ${common === 1 ? 'event' : 'events'}`;
  if (a === common && b === common) return `The runs are identical except for times: ${events}.`;
  if (common === 0) return 'The runs have no events in common.';
  const continuation =
    a === common
      ? 'then the first run ends'
      : b === common
        ? 'then the second run ends'
        : 'then the runs diverge';
  return `The first ${events} are identical except for times; ${continuation}.`;
}

/** Describes how a run ended, in the words of `pawl show`. */
export function describeRunEnding({ latest, outcome }: ReplayedTimeline): string {
  const { how, reason } = deriveSessionEnding(latest, outcome);
  const label = how === 'shut-down' ? 'shut down' : how;
  return reason === null ? label : `${label}: ${reason}`;
}

export type ComparisonRow = {
  readonly label: string;
  readonly a: string;
  readonly b: string;
  readonly isSame: boolean;
};

/** A run with the metadata that its events do not contain. */
export type ComparedRun = { readonly timeline: ReplayedTimeline; readonly model: string | null };

/** Builds the rows of the comparison, from the goal to the answer. */
export function buildComparisonRows(a: ComparedRun, b: ComparedRun): readonly ComparisonRow[] {
  const row = (label: string, value: (side: ComparedRun) => string | number | null): ComparisonRow => {
    const [one, other] = [String(value(a) ?? ''), String(value(b) ?? '')];
    return { label, a: one, b: other, isSame: one === other };
  };
  const settings = listDifferingSettings(a.timeline.created, b.timeline.created);
  return [
    row('goal', ({ timeline }) => getRunTotals(timeline).goal),
    row('model', ({ model }) => model),
    row('profile', ({ timeline }) => timeline.created.profile),
    ...(settings.length === 0
      ? []
      : [{ label: 'settings', a: settings.join(', '), b: 'differ', isSame: false }]),
    row('status', ({ timeline }) => getStatusLabel(timeline.latest.turn.status)),
    row('outcome', ({ timeline }) => describeRunEnding(timeline)),
    row('events', ({ timeline }) => formatGrouped(timeline.length)),
    row('steps', ({ timeline }) => formatGrouped(getRunTotals(timeline).replies)),
    row('tool calls', ({ timeline }) => formatGrouped(getRunTotals(timeline).toolCalls)),
    row('input tokens', ({ timeline }) => formatGrouped(getRunTotals(timeline).inputTokens)),
    row('output tokens', ({ timeline }) => formatGrouped(getRunTotals(timeline).outputTokens)),
    row('cost', ({ timeline }) => getRunTotals(timeline).cost),
    row('files changed', ({ timeline }) => getRunTotals(timeline).files.toSorted().join(', ')),
    row('answer', ({ timeline }) => findTurnAnswer(getConversation(timeline.latest))),
  ];
}

function getRunTotals(timeline: ReplayedTimeline): SessionTotals {
  return timeline.totalsAt(timeline.head);
}

function formatGrouped(value: number): string {
  return value.toLocaleString('en');
}

function listDifferingSettings({ settings: a }: Session, { settings: b }: Session): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isJsonEqual(Reflect.get(a, name), Reflect.get(b, name)));
}

/** How an event relates to the event next to it in the other run. */
export type EventAlignment = 'same' | 'parts' | 'apart';

export function getEventAlignment({ common }: RunDivergence, index: number): EventAlignment {
  if (index < common) return 'same';
  return index === common ? 'parts' : 'apart';
}
