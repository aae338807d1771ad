import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { getUnpausedTurn, type Session, type Event } from '@pawl/core';
import { listTranscriptItems, type ReplayedStep } from '@pawl/core/projections';
import { replaySteps } from '@pawl/runtime/logs';
import { computeStateHash } from '@pawl/runtime/store';
import type { SessionRecord } from '../../sessions/session-record.ts';
import { replayRecording, type ReplayedTool, type SessionRecording } from './replay-recording.ts';
import { truncateColumns } from '../../output/columns.ts';

/** A test that replays a session, and the fixture with the recorded events. */
export type GeneratedTestFiles = { readonly test: string; readonly fixture: string };

/** Returns the path of a test's fixture, in the same folder. */
export function getFixturePath(path: string): string {
  return `${path.replace(/(?:\.test)?\.[cm]?ts$/, '')}.session.json`;
}

/**
 * Generates the test and replays it once, because a session with concurrent calls or with custom rules may not be
 * reproducible.
 */
export async function generateTest(record: SessionRecord, path: string): Promise<GeneratedTestFiles> {
  const { recording, end } = await collectRecording(record);
  const replayed = await replayRecording(recording).catch((error: unknown) => {
    throw new Error(
      `Cannot generate a test from this session: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  if (computeStateHash(replayed) !== computeStateHash(end)) {
    throw new Error('Cannot generate a test from this session: a replay ends in a different state.');
  }
  const harness = await readFile(new URL('./replay-recording.ts', import.meta.url), 'utf8');
  const fixture = JSON.stringify(recording, null, 1);
  return { test: renderTest(harness, { record, recording, end, path }), fixture };
}

async function collectRecording({
  created,
  events,
}: SessionRecord): Promise<{ readonly recording: SessionRecording; readonly end: Session }> {
  const recorded: Event[] = [];
  const tools = new Map<string, ReplayedTool['effect']>();
  let end = created;
  for await (const replayed of replaySteps(created, events())) {
    recorded.push(replayed.event);
    end = replayed.after.session;
    recordToolEffects(tools, replayed);
  }
  const names = [...tools].map(([name, effect]) => ({ name, effect }));
  return { recording: { created, events: recorded, tools: names }, end };
}

/**
 * A tool that declared an intent is verifiable; a tool whose calls ran concurrently is read-only, because only those
 * may.
 */
function recordToolEffects(tools: Map<string, ReplayedTool['effect']>, replayed: ReplayedStep): void {
  const item = listTranscriptItems(replayed).find(
    ({ kind }) => kind === 'tool-start' || kind === 'tool-result',
  );
  const tool = item !== undefined && 'call' in item ? item.call?.tool : undefined;
  if (tool === undefined) return;
  const { event, before } = replayed;
  if (!tools.has(tool)) tools.set(tool, 'not-repeatable');
  if (event.type !== 'tool-started') return;
  if (event.intent !== undefined) tools.set(tool, 'verifiable');
  const unpaused = getUnpausedTurn(before.turn);
  if (unpaused.status !== 'executingTools') return;
  const concurrent = unpaused.executions
    .filter(({ status }) => status === 'running')
    .map(({ call }) => call.tool);
  for (const name of concurrent.length === 0 ? [] : [tool, ...concurrent]) tools.set(name, 'read-only');
}

function renderTest(
  harness: string,
  {
    record,
    recording,
    end,
    path,
  }: {
    readonly record: SessionRecord;
    readonly recording: SessionRecording;
    readonly end: Session;
    readonly path: string;
  },
): string {
  const message = recording.events.find((event) => event.type === 'user-message');
  const title = `replays the recorded session: ${truncateColumns(message?.type === 'user-message' ? message.text : record.id, 60)}`;
  const fixture = encodeURIComponent(basename(getFixturePath(path)));
  return `import { readFileSync } from 'node:fs';
import { computeStateHash } from '@pawl/runtime/store';
import { expect, it } from 'vitest';
${harness}
const recording = JSON.parse(readFileSync(new URL(${JSON.stringify(`./${fixture}`)}, import.meta.url), 'utf8')) as SessionRecording;

it(${JSON.stringify(title)}, async () => {
  const end = await replayRecording(recording);
  expect(end.turn.status).toBe(${JSON.stringify(end.turn.status)});
  expect(computeStateHash(end)).toBe(${JSON.stringify(computeStateHash(end))});
});`;
}
