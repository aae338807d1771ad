import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { unpaused, type Event, type Session } from '@pawl/core';
import { stateHash } from '@pawl/runtime';
import type { SessionRecord } from './export-record.ts';
import { playAgain, type RecordedTool, type Recording } from './export-test-play.ts';
import { executionOf } from './show-timeline.ts';
import { walkEvents } from './show-walk.ts';
import { fit } from './columns.ts';

/** A test that does a session again, and the fixture with what was recorded. */
export type TestFiles = { readonly test: string; readonly fixture: string };

/** Where the fixture of a test goes: beside it. */
export function fixtureBeside(path: string): string {
  return `${path.replace(/(?:\.test)?\.[cm]?ts$/, '')}.session.json`;
}

/**
 * Makes the test. It is done once here, so that nobody is handed one that fails from the start: a session in which things
 * happened side by side, or that rules of its owner's judged, may not come out the same.
 */
export async function testOf(record: SessionRecord, path: string): Promise<TestFiles> {
  const { recording, end } = await recordingOf(record);
  const again = await playAgain(recording).catch((error: unknown) => {
    throw new Error(
      `No test can be made of this session: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  if (stateHash(again) !== stateHash(end)) {
    throw new Error('No test can be made of this session: done again, it ends in another state.');
  }
  const harness = await readFile(new URL('./export-test-play.ts', import.meta.url), 'utf8');
  const fixture = JSON.stringify(recording, null, 1);
  return { test: testText(harness, { record, recording, end, path }), fixture };
}

async function recordingOf({
  created,
  events,
}: SessionRecord): Promise<{ readonly recording: Recording; readonly end: Session }> {
  const recorded: Event[] = [];
  const tools = new Map<string, RecordedTool['effect']>();
  let end = created;
  for await (const { event, before, after } of walkEvents(created, events())) {
    recorded.push(event);
    end = after.session;
    noteEffects(tools, event, before);
  }
  const names = [...tools].map(([name, effect]) => ({ name, effect }));
  return { recording: { created, events: recorded, tools: names }, end };
}

/** A tool that said what it intends is verifiable; one whose calls ran beside others was allowed to, since it only reads. */
function noteEffects(tools: Map<string, RecordedTool['effect']>, event: Event, { turn }: Session): void {
  if (event.type !== 'tool-started' && event.type !== 'tool-finished') return;
  const tool = executionOf(turn, event.callId)?.call.tool;
  if (tool === undefined) return;
  if (!tools.has(tool)) tools.set(tool, 'not-repeatable');
  if (event.type !== 'tool-started') return;
  if (event.intent !== undefined) tools.set(tool, 'verifiable');
  const held = unpaused(turn);
  if (held.status !== 'executingTools') return;
  const beside = held.executions.filter(({ status }) => status === 'running').map(({ call }) => call.tool);
  for (const name of beside.length === 0 ? [] : [tool, ...beside]) tools.set(name, 'read-only');
}

function testText(
  harness: string,
  {
    record,
    recording,
    end,
    path,
  }: {
    readonly record: SessionRecord;
    readonly recording: Recording;
    readonly end: Session;
    readonly path: string;
  },
): string {
  const said = recording.events.find((event) => event.type === 'user-message');
  const title = `does again what it did: ${fit(said?.type === 'user-message' ? said.text : record.id, 60)}`;
  const fixture = encodeURIComponent(basename(fixtureBeside(path)));
  return `import { readFileSync } from 'node:fs';
import { stateHash } from '@pawl/runtime';
import { expect, it } from 'vitest';
${harness}
const recording = JSON.parse(readFileSync(new URL(${JSON.stringify(`./${fixture}`)}, import.meta.url), 'utf8')) as Recording;

it(${JSON.stringify(title)}, async () => {
  const end = await playAgain(recording);
  expect(end.turn.status).toBe(${JSON.stringify(end.turn.status)});
  expect(stateHash(end)).toBe(${JSON.stringify(stateHash(end))});
});`;
}
