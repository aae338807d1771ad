import { inferFileChange, getPathArgument, type FileEffect } from '../observations/call-observation.ts';
import { getTextArgument } from '../observations/fingerprint.ts';
import type { Json } from '../json/json.ts';
import type { GovernorSettings } from '../rules/governor-settings.ts';
import { judgeTracker, type TrackerJudgment, type TrackerVerdict } from './tracker-verdict.ts';
import { seedPresets, trackerPresets, type SeedPreset } from './presets.ts';
import { appendRecent } from './tracker-machine.ts';
import type { TrackerCall, TrackerRecord } from './tracker-record.ts';
import { startTracking, trackRecord, type TrackerState } from './track-record.ts';

/** A tracker inside a session, with the mapping from its calls to session events. Plain JSON and bounded. */
export type SessionTracker = {
  readonly state: TrackerState;
  /** The latest calls. `id` is null once a call has ended; `seq` is the event that started or ended it. */
  readonly calls: readonly NumberedCall[];
  /** The request of the latest failed decision: several problems in one reply count once. */
  readonly failedRequest: number | null;
};

type NumberedCall = { readonly call: number; readonly id: string | null; readonly seq: number };

/** A call as the session records it. */
export type SessionCall = { readonly id: string; readonly tool: string; readonly args: Json };

/** The tracker after a record, and its judgment, if any. */
export type TrackerReport = { readonly tracker: SessionTracker; readonly judgment: TrackerJudgment | null };

/** How many calls are mapped to events; older evidence is omitted. */
const numberedCallsMax = 64;

/** Creates the tracker for the settings, or null. Throws one error for invalid settings. */
export function createSessionTracker(
  { preset, config }: GovernorSettings,
  at: number,
): SessionTracker | null {
  const seed = seedPresets.find((each) => each === preset);
  if (seed !== undefined) return startSessionTracker(seed, rejectLoopOnlyKeys(config), at);
  if (preset !== 'pawl' && preset !== 'none') {
    const names = [...trackerPresets, 'none'].join(', ');
    throw new TypeError(`There is no preset ${JSON.stringify(preset)}. The presets are ${names}.`);
  }
  if (config === undefined || Object.keys(config).length === 0) return null;
  throw new TypeError(
    `Governor config is for the presets ${seedPresets.join(', ')}; ${preset} is changed with rules.`,
  );
}

export function startSessionTracker(preset: SeedPreset, config: object, at: number): SessionTracker {
  return { state: startTracking({ preset, at, config }), calls: [], failedRequest: null };
}

/** Rejects keys that only apply outside a session, because a session handles recovery and halting itself. */
function rejectLoopOnlyKeys(config: object = {}): object {
  const key = Object.keys(config).find((each) => /^(?:auto_?halt|recovery_?attempts)$/i.test(each));
  if (key === undefined) return config;
  throw new TypeError(
    `Governor config: ${key} is for a tracker in a loop of your own; in a session set maxRecoveries in the settings.`,
  );
}

/**
 * With savant, a user message starts another run with a new machine. With nexora, only a success or a phase clears
 * errors.
 */
export function restartOnUserMessage(
  tracker: SessionTracker,
  settings: GovernorSettings,
  at: number,
): SessionTracker {
  return tracker.state.detector.kind === 'savant' ? (createSessionTracker(settings, at) ?? tracker) : tracker;
}

/** Records a reply: its text and the calls about to run. Each reply that continues the turn is a step of the loop. */
export function trackReply(
  tracker: SessionTracker,
  reply: {
    readonly at: number;
    readonly seq: number;
    readonly text: string;
    readonly continuesTurn: boolean;
    readonly calls: readonly SessionCall[];
  },
): TrackerReport {
  const { at, seq, text, continuesTurn, calls } = reply;
  const records: TrackerRecord[] = [];
  if (continuesTurn) records.push({ type: 'ticked', at });
  if (text.trim() !== '') records.push({ type: 'message-said', at, text });
  let draft = applyRecords(createTrackingDraft(forgetOpenCalls(tracker)), records);
  for (const call of calls) draft = recordCallStart(draft, call, { at, seq });
  return toTrackerReport(draft, seq, false);
}

/** A new reply means that the calls of the previous one are over, however they ended; models reuse ids. */
function forgetOpenCalls(tracker: SessionTracker): SessionTracker {
  if (tracker.calls.every(({ id }) => id === null)) return tracker;
  return { ...tracker, calls: tracker.calls.map((each) => ({ ...each, id: null })) };
}

/**
 * Records the outcome of a call. A call that waited for permission, or that no reply requested, is also recorded as
 * started now.
 */
export function recordCallOutcome(
  tracker: SessionTracker,
  call: SessionCall,
  end: {
    readonly at: number;
    readonly seq: number;
    readonly ok: boolean;
    readonly output: string;
    readonly files?: readonly FileEffect[] | undefined;
    readonly tests?: { readonly passed: number; readonly failed: number } | undefined;
  },
): TrackerReport {
  const { at, seq, ok, output, files = [], tests } = end;
  const isKnown = tracker.calls.some(({ id }) => id === call.id);
  const started = isKnown
    ? createTrackingDraft(tracker)
    : recordCallStart(createTrackingDraft(tracker), call, { at, seq });
  const number = started.tracker.calls.findLast(({ id }) => id === call.id)?.call ?? 0;
  const path = getPathArgument(call.args);
  const change = ok ? inferFileChange(call.args, files) : null;
  const outcome = {
    success: ok,
    ...(!ok && { error: output }),
    ...(change !== null && change.from === null && { contentHash: change.to }),
  };
  const changed = applyRecords(started, [
    ...files
      .filter((file) => ok && file.path !== path)
      .map((file) => ({ type: 'file-changed' as const, at, file: file.path, contentHash: file.hash })),
    ...(tests === undefined ? [] : [createTestRecord(call, tests, at)]),
    { type: 'call-ended', at, seq: number, outcome },
  ]);
  const calls = changed.tracker.calls.map((each) =>
    each.call === number ? { call: number, id: null, seq } : each,
  );
  return toTrackerReport({ ...changed, tracker: { ...changed.tracker, calls } }, seq, true);
}

function createTestRecord(
  { tool, args }: SessionCall,
  { passed, failed }: { readonly passed: number; readonly failed: number },
  at: number,
): TrackerRecord {
  const command = getCommandArgument(args) ?? tool;
  return { type: 'test-ran', at, command, passed: passed > 0 && failed === 0, output: '' };
}

/** Records a failed decision: a call that cannot be parsed or is not allowed. */
export function recordDecisionFailure(
  tracker: SessionTracker,
  failure: { readonly at: number; readonly seq: number; readonly request: number; readonly reason: string },
): TrackerReport {
  const { at, seq, request, reason } = failure;
  if (tracker.failedRequest === request) return { tracker, judgment: null };
  const draft = applyRecords(createTrackingDraft({ ...tracker, failedRequest: request }), [
    { type: 'decision-failed', at, reason },
  ]);
  return toTrackerReport(draft, seq, true);
}

/** Records anything else the tracker needs. */
export function recordInSession(tracker: SessionTracker, record: TrackerRecord): SessionTracker {
  return applyRecords(createTrackingDraft(tracker), [record]).tracker;
}

type TrackingDraft = { readonly tracker: SessionTracker; readonly matches: readonly TrackerVerdict[] };

function createTrackingDraft(tracker: SessionTracker): TrackingDraft {
  return { tracker, matches: [] };
}

function applyRecords({ tracker, matches }: TrackingDraft, records: readonly TrackerRecord[]): TrackingDraft {
  let { state } = tracker;
  const all = [...matches];
  for (const record of records) {
    const tracked = trackRecord(state, record);
    state = tracked.state;
    for (const signal of tracked.signals) if (signal.type === 'found') all.push(signal.verdict);
  }
  return { tracker: state === tracker.state ? tracker : { ...tracker, state }, matches: all };
}

function recordCallStart(
  draft: TrackingDraft,
  { id, tool, args }: SessionCall,
  { at, seq }: { readonly at: number; readonly seq: number },
): TrackingDraft {
  const call = draft.tracker.state.ledger.callsMade + 1;
  const known = {
    ...draft.tracker,
    calls: appendRecent(draft.tracker.calls, { call, id, seq }, numberedCallsMax),
  };
  return applyRecords({ ...draft, tracker: known }, [
    { type: 'call-made', at, call: toTrackerCall(tool, args) },
  ]);
}

function toTrackerCall(tool: string, args: Json): TrackerCall {
  const file = getPathArgument(args);
  const command = getCommandArgument(args);
  return { tool, args, ...(file !== null && { file }), ...(command !== null && { command }) };
}

function getCommandArgument(args: Json): string | null {
  return getTextArgument(args, ['command', 'cmd']);
}

/** Creates the judgment, with event numbers instead of call numbers. */
function toTrackerReport({ tracker, matches }: TrackingDraft, seq: number, hasEnded: boolean): TrackerReport {
  const judgment = judgeTracker(tracker.state.detector, matches, hasEnded);
  if (judgment === null) return { tracker, judgment };
  const { verdict, response } = judgment;
  const evidenceCalls = tracker.calls.filter(({ call }) => verdict.evidence.includes(call));
  const evidence = evidenceCalls.length === 0 ? [seq] : evidenceCalls.map((each) => each.seq);
  return { tracker, judgment: { verdict: { ...verdict, evidence }, response } };
}
