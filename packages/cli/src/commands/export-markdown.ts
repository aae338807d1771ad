import type { Event, Session } from '@pawl/core';
import { getMetadataText } from '@pawl/runtime';
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
  const account = await computeSessionTotals({ created, walked: replayEvents(created, events()) });
  yield `# Session ${renderInlineCode(id)}\n`;
  yield renderRecordTable([
    ['goal', account.goal],
    ['profile', created.profile],
    ['model', getMetadataText(about, 'model')],
    ['folder', getMetadataText(about, 'dir')],
    ['work', formatSessionTotals(account)],
    ['forked from', parent === null ? null : `${parent.id}, event ${parent.at}`],
    ['state hash', record.stateHash],
  ]);
  for await (const walked of replayEvents(created, events())) yield* renderEventMarkdown(walked);
  const { how, reason, rule } = deriveSessionEnding(account);
  const title = how === 'unfinished' ? 'Not ended' : `Ended: ${how}`;
  const by = rule === null ? '' : `By the rule ${renderInlineCode(rule)}.\n\n`;
  yield `\n## ${title}\n\n${by}${renderFence(reason)}`;
}

function renderEventMarkdown(walked: ReplayedEvent): readonly string[] {
  const { event, before } = walked;
  return [...renderEventSections(event, before), ...renderTimelineNotes(walked)].map((text) => `\n${text}`);
}

function renderEventSections(event: Event, { turn }: Session): readonly string[] {
  const time = formatDateTime(event.at);
  switch (event.type) {
    case 'user-message':
    case 'steered':
      return [`## User, ${time}\n\n${renderFence(event.text)}`];
    case 'model-replied': {
      const took = formatDuration(Math.max(0, event.at - turn.since));
      const calls = event.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`);
      const said = [event.problem ?? '', event.text].filter((text) => text !== '').map(renderFence);
      const asks = calls.length === 0 ? [] : [`Asks for:\n\n${renderFence(calls.join('\n'))}`];
      return [[`## Model, ${time}, after ${took}`, ...said, ...asks].join('\n\n')];
    }
    case 'tool-finished': {
      const execution = findExecution(turn, event.callId);
      const how = event.outcome.ok ? 'Result' : `Error (${event.outcome.error.kind})`;
      const call = sanitizeOneLine(formatCall(execution?.call, event.callId).slice(0, 200));
      return [`### ${how} of ${renderInlineCode(call)}\n\n${renderFence(formatOutcome(event.outcome))}`];
    }
    default:
      return [];
  }
}

/** Renders the other timeline entries, one line each: waits, verdicts, phases, user requests. */
function renderTimelineNotes(walked: ReplayedEvent): readonly string[] {
  const told = new Set<Event['type']>(['user-message', 'steered', 'model-replied', 'tool-finished']);
  return toTimelineEntries(walked)
    .filter(({ what }) => !told.has(walked.event.type) || !['user', 'model', 'tool'].includes(what))
    .map(({ at, what, text, tookMs }) => {
      const took = tookMs === null ? '' : ` ${formatDuration(tookMs)}`;
      return `- ${formatClockTime(at)} ${what}${took}: ${renderInlineCode(text)}`;
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
