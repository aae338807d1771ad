import { changeOf, pathOf, type FileEffect } from '../governor/change.ts';
import { textUnder } from '../governor/text-under.ts';
import type { Json } from '../json.ts';
import type { GovernorSettings } from '../settings.ts';
import { judge, type Judgement } from './judgement.ts';
import { seedPresets, trackerPresets, type SeedPreset } from './presets.ts';
import { withRecent } from './recent.ts';
import type { ToolCall, TrackerRecord } from './record.ts';
import { startTracking, track, type TrackerState } from './track.ts';
import type { TrackerVerdict } from './verdict.ts';

/** A tracker that is told what happens in a session, and which events its calls were. Plain JSON and bounded. */
export type SessionTracker = {
  readonly state: TrackerState;
  /** The latest calls. `id` is null once a call has ended; `seq` is the event that made it, or ended it. */
  readonly calls: readonly KnownCall[];
  /** The request of the latest reply that was no decision: what is wrong with one reply counts once. */
  readonly failedRequest: number | null;
};

type KnownCall = { readonly call: number; readonly id: string | null; readonly seq: number };

/** A call as a session knows it. */
export type SessionCall = { readonly id: string; readonly tool: string; readonly args: Json };

/** What a tracker makes of something: how it goes on, and what is to be done. */
export type Heard = { readonly tracker: SessionTracker; readonly judgement: Judgement | null };

/** How many calls are told apart; a verdict that is proved by more is proved by these. */
const callsMax = 64;

/** The tracker that the settings ask for, or null. Throws one error for settings that make no sense. */
export function trackerFor({ preset, config }: GovernorSettings, at: number): SessionTracker | null {
  const seed = seedPresets.find((each) => each === preset);
  if (seed !== undefined) return sessionTracker(seed, ownToTrackers(config), at);
  if (preset !== 'pawl' && preset !== 'none') {
    const names = [...trackerPresets, 'none'].join(', ');
    throw new TypeError(`There is no preset ${JSON.stringify(preset)}. The presets are ${names}.`);
  }
  if (config === undefined || Object.keys(config).length === 0) return null;
  throw new TypeError(
    `Governor config is for the presets ${seedPresets.join(', ')}; ${preset} is changed with rules.`,
  );
}

export function sessionTracker(preset: SeedPreset, config: object, at: number): SessionTracker {
  return { state: startTracking({ preset, at, config }), calls: [], failedRequest: null };
}

/** A session recovers and halts by itself, as its settings say. */
function ownToTrackers(config: object = {}): object {
  const key = Object.keys(config).find((each) => /^(?:auto_?halt|recovery_?attempts)$/i.test(each));
  if (key === undefined) return config;
  throw new TypeError(
    `Governor config: ${key} is for a tracker in a loop of your own; in a session set maxRecoveries in the settings.`,
  );
}

/**
 * With savant, what a person says begins another run, and a run begins with a fresh machine. With nexora only a success or a
 * phase makes up for errors, whoever speaks.
 */
export function hearPerson(tracker: SessionTracker, settings: GovernorSettings, at: number): SessionTracker {
  return tracker.state.mind.kind === 'savant' ? (trackerFor(settings, at) ?? tracker) : tracker;
}

/** A reply: what was said, and the calls that are about to run. Each reply that goes on is a step of the loop. */
export function hearReply(
  tracker: SessionTracker,
  reply: {
    readonly at: number;
    readonly seq: number;
    readonly text: string;
    readonly goesOn: boolean;
    readonly calls: readonly SessionCall[];
  },
): Heard {
  const { at, seq, text, goesOn, calls } = reply;
  const records: TrackerRecord[] = [];
  if (goesOn) records.push({ type: 'ticked', at });
  if (text.trim() !== '') records.push({ type: 'message-said', at, text });
  let heard = take(begun(withoutOpenCalls(tracker)), records);
  for (const call of calls) heard = makeCall(heard, call, { at, seq });
  return judged(heard, seq, false);
}

/** A new reply means that the calls of the one before are over, however they ended; models use ids again. */
function withoutOpenCalls(tracker: SessionTracker): SessionTracker {
  if (tracker.calls.every(({ id }) => id === null)) return tracker;
  return { ...tracker, calls: tracker.calls.map((each) => ({ ...each, id: null })) };
}

/** How a call ended that counts. One that waited for somebody, or that no reply asked for, is made known by its end. */
export function hearOutcome(
  tracker: SessionTracker,
  call: SessionCall,
  end: {
    readonly at: number;
    readonly seq: number;
    readonly ok: boolean;
    readonly said: string;
    readonly files?: readonly FileEffect[] | undefined;
    readonly tests?: { readonly passed: number; readonly failed: number } | undefined;
  },
): Heard {
  const { at, seq, ok, said, files = [], tests } = end;
  const isKnown = tracker.calls.some(({ id }) => id === call.id);
  const made = isKnown ? begun(tracker) : makeCall(begun(tracker), call, { at, seq });
  const number = made.tracker.calls.findLast(({ id }) => id === call.id)?.call ?? 0;
  const path = pathOf(call.args);
  const change = ok ? changeOf(call.args, files) : null;
  const outcome = {
    success: ok,
    ...(!ok && { error: said }),
    ...(change !== null && change.from === null && { contentHash: change.to }),
  };
  const changed = take(made, [
    ...files
      .filter((file) => ok && file.path !== path)
      .map((file) => ({ type: 'file-changed' as const, at, file: file.path, contentHash: file.hash })),
    ...(tests === undefined ? [] : [testRecord(call, tests, at)]),
    { type: 'call-ended', at, seq: number, outcome },
  ]);
  const calls = changed.tracker.calls.map((each) =>
    each.call === number ? { call: number, id: null, seq } : each,
  );
  return judged({ ...changed, tracker: { ...changed.tracker, calls } }, seq, true);
}

function testRecord(
  { tool, args }: SessionCall,
  { passed, failed }: { readonly passed: number; readonly failed: number },
  at: number,
): TrackerRecord {
  const command = commandOf(args) ?? tool;
  return { type: 'test-ran', at, command, passed: passed > 0 && failed === 0, output: '' };
}

/** Something was wrong with a reply: a call that cannot be understood, or one that no rule allows. */
export function hearFailedDecision(
  tracker: SessionTracker,
  fault: { readonly at: number; readonly seq: number; readonly request: number; readonly reason: string },
): Heard {
  const { at, seq, request, reason } = fault;
  if (tracker.failedRequest === request) return { tracker, judgement: null };
  const heard = take(begun({ ...tracker, failedRequest: request }), [
    { type: 'decision-failed', at, reason },
  ]);
  return judged(heard, seq, true);
}

/** Anything else that a tracker wants to know of. */
export function hearRecord(tracker: SessionTracker, record: TrackerRecord): SessionTracker {
  return take(begun(tracker), [record]).tracker;
}

type Hearing = { readonly tracker: SessionTracker; readonly found: readonly TrackerVerdict[] };

function begun(tracker: SessionTracker): Hearing {
  return { tracker, found: [] };
}

function take({ tracker, found }: Hearing, records: readonly TrackerRecord[]): Hearing {
  let { state } = tracker;
  const all = [...found];
  for (const record of records) {
    const tracked = track(state, record);
    state = tracked.state;
    for (const signal of tracked.signals) if (signal.type === 'found') all.push(signal.verdict);
  }
  return { tracker: state === tracker.state ? tracker : { ...tracker, state }, found: all };
}

function makeCall(
  heard: Hearing,
  { id, tool, args }: SessionCall,
  { at, seq }: { readonly at: number; readonly seq: number },
): Hearing {
  const call = heard.tracker.state.ledger.callsMade + 1;
  const known = {
    ...heard.tracker,
    calls: withRecent(heard.tracker.calls, { call, id, seq }, callsMax),
  };
  return take({ ...heard, tracker: known }, [{ type: 'call-made', at, call: toolCall(tool, args) }]);
}

function toolCall(tool: string, args: Json): ToolCall {
  const file = pathOf(args);
  const command = commandOf(args);
  return { tool, args, ...(file !== null && { file }), ...(command !== null && { command }) };
}

function commandOf(args: Json): string | null {
  return textUnder(args, ['command', 'cmd']);
}

/** The judgement, with the numbers of events instead of those of calls. */
function judged({ tracker, found }: Hearing, seq: number, hasEnded: boolean): Heard {
  const judgement = judge(tracker.state.mind, found, hasEnded);
  if (judgement === null) return { tracker, judgement };
  const { verdict, response } = judgement;
  const proof = tracker.calls.filter(({ call }) => verdict.evidence.includes(call));
  const evidence = proof.length === 0 ? [seq] : proof.map((each) => each.seq);
  return { tracker, judgement: { verdict: { ...verdict, evidence }, response } };
}
