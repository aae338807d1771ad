import type { GovernorSettings, Json, DetectorState } from '@pawl/core';
import { loadGovernor } from './load-governor.ts';

/** A tool call that a host is about to make, or has made. */
export type HookCall = { readonly tool: string; readonly args: Json };

export type HookOutcome = { readonly ok: boolean; readonly said: string };

type RefusedHookCall = { readonly call: string; readonly because: string; readonly asked: number };

/** The state of one agent of a host: plain JSON, bounded, and derived only from hook events. */
export type HookState = {
  readonly version: 1;
  /** Number of calls since the last user message. */
  readonly calls: number;
  /** Null before the first observation. */
  readonly watch: DetectorState | null;
  /** Calls that are refused until another call brings a new result. */
  readonly refused: readonly RefusedHookCall[];
  /** Why the work is finished; null while it may continue. `asked` counts the calls attempted since. */
  readonly finish: { readonly because: string; readonly asked: number } | null;
};

/** The decision to report to a host. */
export type HookDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'advise'; readonly text: string }
  | { readonly kind: 'deny'; readonly text: string }
  | { readonly kind: 'stop'; readonly text: string };

export type HookJudgment = { readonly mind: HookState; readonly word: HookDecision };

export const initialHookState: HookState = { version: 1, calls: 0, watch: null, refused: [], finish: null };

/** Marks advice, because it appears among tool output and user messages. */
export const governorNotePrefix = '[Note from the run’s governor, not from the user]';

const hookGovernorSettings: GovernorSettings = { preset: 'pawl', rules: {} };

const maxRefusedHookCalls = 16;

/** Maximum number of attempts to repeat a refused call before the work is finished. */
const maxRefusedRetries = 2;

/** Number of calls denied after the work is finished before the host is stopped. */
const maxDenialsBeforeStop = 3;

const noDecision: HookDecision = { kind: 'nothing' };

/** Decides whether a call may run. `callsMax` limits the calls between two user messages; null for no limit. */
export function judgeHookCall(mind: HookState, call: HookCall, callsMax: number | null): HookJudgment {
  if (mind.finish !== null) return denyHookCall(mind, mind.finish);
  if (callsMax !== null && mind.calls >= callsMax) {
    return denyHookCall(mind, {
      because: formatFinishMessage(`The budget of ${callsMax} tool calls is used up.`),
      asked: 0,
    });
  }
  if (mind.refused.length === 0) return { mind, word: noDecision };
  const key = fingerprintHookCall(call);
  const refused = mind.refused.map((each) => (each.call === key ? { ...each, asked: each.asked + 1 } : each));
  const hit = refused.find((each) => each.call === key);
  if (hit === undefined) return { mind, word: noDecision };
  if (hit.asked < maxRefusedRetries) {
    return { mind: { ...mind, refused }, word: { kind: 'deny', text: `Not run again: ${hit.because}` } };
  }
  return denyHookCall({ ...mind, refused }, { because: formatFinishMessage(hit.because), asked: 0 });
}

/** Records a finished call. Calls that we denied never ran, so they are ignored, as is everything after the finish. */
export function recordHookCall(
  mind: HookState,
  call: HookCall,
  outcome: HookOutcome,
  at: number,
): HookJudgment {
  const { ok, said: errorText } = outcome;
  if (mind.finish !== null || (!ok && errorText.includes(governorNotePrefix)))
    return { mind, word: noDecision };
  const { isNewOutcome, observeCall, selectRules, initialDetectorState, createVerdict, runDetector } =
    loadGovernor();
  const seq = mind.calls + 1;
  const seen = observeCall({ seq, at, tool: call.tool, args: call.args, ok, output: errorText });
  const { state: watched, match } = runDetector(
    mind.watch ?? initialDetectorState,
    seen,
    selectRules(hookGovernorSettings),
  );
  const { work } = watched.seen;
  const isNew = seen.kind === 'work' && isNewOutcome(work, work.length - 1);
  const after = { ...mind, calls: seq, watch: watched, refused: isNew ? [] : mind.refused };
  if (match === null) return { mind: after, word: noDecision };
  const tools = new Set(work.filter(({ error }) => error === null).map(({ tool }) => tool));
  const { advice } = createVerdict(
    match,
    hookGovernorSettings,
    ok ? null : { args: call.args, errorText, tools },
  );
  if (match.level === 'advise') return { mind: after, word: { kind: 'advise', text: advice } };
  if (match.level === 'refuse') {
    const refused = [
      ...mind.refused.slice(1 - maxRefusedHookCalls),
      { call: seen.call, because: advice, asked: 0 },
    ];
    return { mind: { ...after, refused }, word: { kind: 'advise', text: advice } };
  }
  const because = formatFinishMessage(advice);
  return { mind: { ...after, finish: { because, asked: 0 } }, word: { kind: 'advise', text: because } };
}

/** A user message resets the detector: earlier calls no longer count. */
export function resetHookState(): HookState {
  return initialHookState;
}

function denyHookCall(
  mind: HookState,
  { because, asked }: { readonly because: string; readonly asked: number },
): HookJudgment {
  const finish = { because, asked: asked + 1 };
  const kind = finish.asked > maxDenialsBeforeStop ? 'stop' : 'deny';
  return { mind: { ...mind, finish }, word: { kind, text: because } };
}

function formatFinishMessage(advice: string): string {
  return (
    `This work has come to its end. ${advice} No more tools will be run: answer now with what you have found out, say what ` +
    'you could not do and why, and what is left to do.'
  );
}

/** Returns a fingerprint that is equal for equivalent calls, however their arguments are written. */
function fingerprintHookCall({ tool, args }: HookCall): string {
  return loadGovernor().observeCall({ seq: 0, tool, args, ok: true, output: '' }).call;
}
