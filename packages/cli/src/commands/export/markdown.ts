import {
  formatCall,
  formatOutcome,
  isTimelineItem,
  listTranscriptItems,
  type ReplayedStep,
  type TranscriptItem,
} from '@pawl/core/projections';
import { replaySteps } from '@pawl/runtime/logs';
import { getMetadataText } from '@pawl/runtime/store';
import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';
import type { SessionRecord } from '../../sessions/session-record.ts';
import { formatSessionTotals, surveySession } from '../../sessions/session-replay.ts';
import { describeSessionEnding } from '../../sessions/session-ending.ts';
import { formatClockTime, formatDateTime, formatDuration } from '../../output/format-time.ts';
import { toTimelineEntry } from '../../sessions/step-record.ts';

/**
 * Streams a readable transcript. Text from models, tools and users is fenced, so that a Markdown viewer neither renders
 * it nor fetches anything for it.
 */
export async function* streamRecordMarkdown(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  const { id, about, created, parent, events } = record;
  const survey = await surveySession({ created, walked: replaySteps(created, events()) });
  const { totals } = survey;
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
  for await (const replayed of replaySteps(created, events())) yield* renderStepMarkdown(replayed);
  const { how, reason, rule } = describeSessionEnding(survey);
  const title = how === 'unfinished' ? 'Not ended' : `Ended: ${how}`;
  const by = rule === null ? '' : `Rule: ${renderInlineCode(rule)}\n\n`;
  yield `\n## ${title}\n\n${by}${renderFence(reason)}`;
}

function renderStepMarkdown(replayed: ReplayedStep): readonly string[] {
  const items = listTranscriptItems(replayed).filter(isTimelineItem);
  const sections = items.flatMap((item) => renderSection(item) ?? []);
  const notes = items.filter((item) => renderSection(item) === null).map(renderTimelineNote);
  return [...sections, ...notes].map((text) => `\n${text}`);
}

/** Renders messages, replies and results in full; null for other items, which get one line. */
function renderSection(item: TranscriptItem): string | null {
  const time = formatDateTime(item.at);
  switch (item.kind) {
    case 'message':
      return `## User, ${time}\n\n${renderFence(item.text)}`;
    case 'reply': {
      const duration = formatDuration(Math.max(0, item.tookMs));
      const calls = item.calls.map((call) => formatCall(call, ''));
      const texts = [item.problem ?? '', item.text].filter((text) => text !== '').map(renderFence);
      const requested = calls.length === 0 ? [] : [`Tool calls:\n\n${renderFence(calls.join('\n'))}`];
      return [`## Model, ${time}, after ${duration}`, ...texts, ...requested].join('\n\n');
    }
    case 'tool-result': {
      const { outcome } = item;
      const kind = outcome.ok ? 'Result' : `Error (${outcome.error.kind})`;
      const call = sanitizeOneLine(formatCall(item.call, item.callId).slice(0, 200));
      return `### ${kind} of ${renderInlineCode(call)}\n\n${renderFence(formatOutcome(outcome))}`;
    }
    default:
      return null;
  }
}

function renderTimelineNote(item: TranscriptItem): string {
  const { at, what, text, tookMs } = toTimelineEntry(item);
  const duration = tookMs === null ? '' : ` ${formatDuration(tookMs)}`;
  return `- ${formatClockTime(at)} ${what}${duration}: ${renderInlineCode(text)}`;
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
