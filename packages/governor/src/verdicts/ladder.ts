import { initialDetectorState, runDetector, type DetectorState, type GradedMatch } from './detector.ts';
import type { GovernorSettings } from '../rules/governor-settings.ts';
import type { Json } from '../json/json.ts';
import { computeCallKey, type CallObservation } from '../observations/call-observation.ts';
import type { GovernorObservation } from '../observations/observation.ts';
import type { Rule } from '../rules/rule.ts';
import { isNewOutcome } from '../rules/window-queries.ts';
import { createVerdict, type Verdict } from './verdict.ts';

/*
 * The escalation ladder, shared by the session, the hook and audits. A loop is first answered with advice; if it
 * continues, its call is blocked; a model that insists on a blocked call, or a loop that reaches the last threshold, ends
 * the work. Plain JSON, bounded, and a function of the observations alone.
 */
export type LadderState = {
  /** What was observed, and which loops were reported. */
  readonly detector: DetectorState;
  /** Calls that are blocked until another call produces a new outcome. */
  readonly blockedCalls: readonly BlockedCall[];
};

export type BlockedCall = {
  readonly call: string;
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** How often the model has requested the call since it was blocked. */
  readonly requests: number;
};

export const initialLadder: LadderState = { detector: initialDetectorState, blockedCalls: [] };

export type LadderOptions = {
  readonly rules: readonly Rule[];
  readonly settings: GovernorSettings;
  /** The failed call, if the observation is of one: known recoveries from its error then apply. */
  readonly failure?: { readonly args: Json; readonly errorText: string } | null;
};

export type LadderResult<State extends LadderState> = {
  readonly state: State;
  readonly verdict: Verdict | null;
};

/** Adds an observation and returns the verdict on the most severe match that has not been reported yet, or null. */
export function judgeObservation<State extends LadderState>(
  before: State,
  observation: GovernorObservation,
  { rules, settings, failure = null }: LadderOptions,
): LadderResult<State> {
  const { state: detector, match } = runDetector(before.detector, observation, rules);
  const isCall = observation.kind === 'call' || observation.kind === 'wait';
  const blockedCalls = isCall ? updateBlockedCalls(before, observation, match) : before.blockedCalls;
  const state = { ...before, detector, blockedCalls };
  if (match === null) return { state, verdict: null };
  const recoverable = failure === null ? null : { ...failure, tools: listWorkingTools(detector) };
  return { state, verdict: createVerdict(match, settings, recoverable) };
}

/** Maximum number of blocked calls remembered. */
const blockedCallsMax = 16;

/** A block holds until a call succeeds with a new outcome; after that, a retry may behave differently. */
function updateBlockedCalls(
  { detector: { windows }, blockedCalls }: LadderState,
  observation: CallObservation,
  match: GradedMatch | null,
): readonly BlockedCall[] {
  if (match?.severity === 'block') {
    const { rule, reason, advice } = match;
    return [
      ...blockedCalls.slice(-(blockedCallsMax - 1)),
      { call: observation.call, rule, reason, advice, requests: 0 },
    ];
  }
  if (blockedCalls.length === 0) return blockedCalls;
  return isNewOutcome([...windows.call, observation], windows.call.length) ? [] : blockedCalls;
}

function listWorkingTools({ windows }: DetectorState): ReadonlySet<string> {
  return new Set(windows.call.filter(({ error }) => error === null).map(({ tool }) => tool));
}

export type ScreenedCalls<State extends LadderState> = {
  readonly state: State;
  /** For each call, the block that denies it, or null if it may run. */
  readonly blocks: readonly (BlockedCall | null)[];
  /** The verdict that ends the work, because the model insists on a blocked call. */
  readonly verdict: Verdict | null;
};

/** How often a blocked call may be requested again before the work is finished. */
const blockedRequestsMax = 2;

/** Checks requested calls against the blocked ones. `seq` is the number of the event that requested them. */
export function screenCalls<State extends LadderState>(
  before: State,
  calls: readonly { readonly tool: string; readonly args: Json }[],
  seq: number,
): ScreenedCalls<State> {
  const keys = calls.map(({ tool, args }) => computeCallKey(tool, args));
  const blockedCalls = before.blockedCalls.map((each) =>
    keys.includes(each.call) ? { ...each, requests: each.requests + 1 } : each,
  );
  const repeatedlyRequested = blockedCalls.find((each) => each.requests >= blockedRequestsMax);
  return {
    state: { ...before, blockedCalls },
    blocks: keys.map((key) => blockedCalls.find((each) => each.call === key) ?? null),
    verdict: repeatedlyRequested === undefined ? null : createInsistenceVerdict(repeatedlyRequested, seq),
  };
}

function createInsistenceVerdict({ rule, reason, advice, requests }: BlockedCall, seq: number): Verdict {
  return {
    severity: 'stop',
    rule,
    reason: `${reason}; it was refused and asked for ${requests} more times`,
    advice,
    evidence: [seq],
    response: { kind: 'stop' },
  };
}
