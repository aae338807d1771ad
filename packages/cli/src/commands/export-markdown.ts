import type { Event, Session } from '@pawl/core';
import { textAbout } from '@pawl/runtime';
import { visible, visibleLine } from '../visible.ts';
import type { SessionRecord } from './export-record.ts';
import { accountOf, workText } from './show-account.ts';
import { endingOf } from './show-ending.ts';
import { clockTime, dateTime, duration } from './show-time.ts';
import { callText, executionOf, outcomeText, timelineOf } from './show-timeline.ts';
import { walkEvents, type Walked } from './show-walk.ts';

/**
 * A transcript to read. What a model, a tool or a user wrote stands in fences: a page that shows it renders none of it and
 * fetches nothing for it.
 */
export async function* recordMarkdown(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  const { id, about, created, parent, events } = record;
  const account = await accountOf({ created, walked: walkEvents(created, events()) });
  yield `# Session ${inCode(id)}\n`;
  yield table([
    ['goal', account.goal],
    ['profile', created.profile],
    ['model', textAbout(about, 'model')],
    ['folder', textAbout(about, 'dir')],
    ['work', workText(account)],
    ['forked from', parent === null ? null : `${parent.id}, event ${parent.at}`],
    ['state hash', record.stateHash],
  ]);
  for await (const walked of walkEvents(created, events())) yield* sections(walked);
  const { how, reason, rule } = endingOf(account);
  const title = how === 'unfinished' ? 'Not ended' : `Ended: ${how}`;
  const by = rule === null ? '' : `By the rule ${inCode(rule)}.\n\n`;
  yield `\n## ${title}\n\n${by}${fenced(reason)}`;
}

function sections(walked: Walked): readonly string[] {
  const { event, before } = walked;
  return [...eventSections(event, before), ...asides(walked)].map((text) => `\n${text}`);
}

function eventSections(event: Event, { turn }: Session): readonly string[] {
  const time = dateTime(event.at);
  switch (event.type) {
    case 'user-message':
    case 'steered':
      return [`## User, ${time}\n\n${fenced(event.text)}`];
    case 'model-replied': {
      const took = duration(Math.max(0, event.at - turn.since));
      const calls = event.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`);
      const said = [event.problem ?? '', event.text].filter((text) => text !== '').map(fenced);
      const asks = calls.length === 0 ? [] : [`Asks for:\n\n${fenced(calls.join('\n'))}`];
      return [[`## Model, ${time}, after ${took}`, ...said, ...asks].join('\n\n')];
    }
    case 'tool-finished': {
      const execution = executionOf(turn, event.callId);
      const how = event.outcome.ok ? 'Result' : `Error (${event.outcome.error.kind})`;
      const call = visibleLine(callText(execution?.call, event.callId).slice(0, 200));
      return [`### ${how} of ${inCode(call)}\n\n${fenced(outcomeText(event.outcome))}`];
    }
    default:
      return [];
  }
}

/** What else happened, a line each: waits, verdicts, phases, wishes of the user. */
function asides(walked: Walked): readonly string[] {
  const told = new Set<Event['type']>(['user-message', 'steered', 'model-replied', 'tool-finished']);
  return timelineOf(walked)
    .filter(({ what }) => !told.has(walked.event.type) || !['user', 'model', 'tool'].includes(what))
    .map(({ at, what, text, tookMs }) => {
      const took = tookMs === null ? '' : ` ${duration(tookMs)}`;
      return `- ${clockTime(at)} ${what}${took}: ${inCode(text)}`;
    });
}

function table(rows: readonly (readonly [string, string | null])[]): string {
  const lines = rows.flatMap(([name, text]) =>
    text === null ? [] : [`| ${name} | ${inCode(text).replaceAll('|', '\\|')} |`],
  );
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}

/** A fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}text\n${visible(text)}\n${fence}`;
}

function inCode(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1);
  return `${ticks} ${visibleLine(text)} ${ticks}`;
}

function longestTicks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
