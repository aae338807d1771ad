import type { Event, Session } from '@pawl/core';
import { getMetadataText } from '@pawl/runtime/store';
import { sanitizeText, sanitizeOneLine } from '../sanitize-text.ts';
import type { SessionRecord } from './export-record.ts';
import { computeSessionTotals, formatSessionTotals } from './session-totals.ts';
import { deriveSessionEnding } from './session-ending.ts';
import { formatClockTime, formatDateTime, formatDuration } from './format-time.ts';
import { formatCall, findExecution, formatOutcome, toTimelineEntries } from './session-timeline.ts';
import { replayEvents, type ReplayedEvent } from './session-replay.ts';

/**
 * Streams a readable transcript. Text from models, tools and users is fenced, so that a Markdown viewer neither renders
 * it nor fetches anything for it.
 */
export async function* streamRecordMarkdown(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  const { id, about, created, parent, events } = record;
  const totals = await computeSessionTotals({ created, walked: replayEvents(created, events()) });
  yield `# Session ${renderInlineCode(id)}\n`;
  yield renderRecordTable([
    ['goal', totals.goal],
    ['profile', created.profile],
    ['model', getMetadataText(about, 'model')],
    ['folder', getMetadataText(about, 'dir')],
    ['work', formatSessionTotals(totals)],
    ['forked from', parent === null ? null : `${parent.id}, event ${parent.at}`],
    ['state hash', record.stateHash],
  ]);
  for await (const replayed of replayEvents(created, events())) yield* renderEventMarkdown(replayed);
  const { how, reason, rule } = deriveSessionEnding(totals);
  const title = how === 'unfinished' ? 'Not ended' : `Ended: ${how}`;
  const by = rule === null ? '' : `Rule: ${renderInlineCode(rule)}\n\n`;
  yield `\n## ${title}\n\n${by}${renderFence(reason)}`;
}

function renderEventMarkdown(replayed: ReplayedEvent): readonly string[] {
  const { event, before } = replayed;
  return [...renderEventSections(event, before), ...renderTimelineNotes(replayed)].map((text) => `\n${text}`);
}

function renderEventSections(event: Event, { turn }: Session): readonly string[] {
  const time = formatDateTime(event.at);
  switch (event.type) {
    case 'user-message':
    case 'steered':
      return [`## User, ${time}\n\n${renderFence(event.text)}`];
    case 'model-replied': {
      const duration = formatDuration(Math.max(0, event.at - turn.since));
      const calls = event.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`);
      const texts = [event.problem ?? '', event.text].filter((text) => text !== '').map(renderFence);
      const requested = calls.length === 0 ? [] : [`Tool calls:\n\n${renderFence(calls.join('\n'))}`];
      return [[`## Model, ${time}, after ${duration}`, ...texts, ...requested].join('\n\n')];
    }
    case 'tool-finished': {
      const execution = findExecution(turn, event.callId);
      const kind = event.outcome.ok ? 'Result' : `Error (${event.outcome.error.kind})`;
      const call = sanitizeOneLine(formatCall(execution?.call, event.callId).slice(0, 200));
      return [`### ${kind} of ${renderInlineCode(call)}\n\n${renderFence(formatOutcome(event.outcome))}`];
    }
    default:
      return [];
  }
}

/** Renders the other timeline entries, one line each: waits, verdicts, phases, user requests. */
function renderTimelineNotes(replayed: ReplayedEvent): readonly string[] {
  const rendered = new Set<Event['type']>(['user-message', 'steered', 'model-replied', 'tool-finished']);
  return toTimelineEntries(replayed)
    .filter(({ what }) => !rendered.has(replayed.event.type) || !['user', 'model', 'tool'].includes(what))
    .map(({ at, what, text, tookMs }) => {
      const duration = tookMs === null ? '' : ` ${formatDuration(tookMs)}`;
      return `- ${formatClockTime(at)} ${what}${duration}: ${renderInlineCode(text)}`;
    });
}

function renderRecordTable(rows: readonly (readonly [string, string | null])[]): string {
  const lines = rows.flatMap(([name, text]) =>
    text === null ? [] : [`| ${name} | ${renderInlineCode(text).replaceAll('|', '\\|')} |`],
  );
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}

/** Makes the fence longer than any run of backticks in the text, so that the text cannot close it. */
function renderFence(text: string): string {
  const fence = '`'.repeat(Math.max(3, findLongestTicks(text) + 1));
  return `${fence}text\n${sanitizeText(text)}\n${fence}`;
}

function renderInlineCode(text: string): string {
  const ticks = '`'.repeat(findLongestTicks(text) + 1);
  return `${ticks} ${sanitizeOneLine(text)} ${ticks}`;
}

function findLongestTicks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
