import { auditRun, observeRecordedCall, type AuditVerdict } from './audit.ts';
import { formatToolOutput } from '../observations/call-observation.ts';
import { selectRules } from '../rules/pawl-rules.ts';
import { defaultMaxRecoveries } from '../rules/governor-settings.ts';
import type { RecordedRun, RecordedStep } from '../traces/trace-format.ts';
import {
  recordCallOutcome,
  recordInSession,
  trackReply,
  startSessionTracker,
  type SessionTracker,
} from '../tracker/session-tracker.ts';
import type { RuleSeverity } from '../rules/rule.ts';
import type { TrackerJudgment } from '../tracker/tracker-verdict.ts';
import { parsePawlConfig } from '../tracker/pawl.ts';
import type { TrackerPreset } from '../tracker/presets.ts';

/** Returns the verdicts a preset would have given on a recorded run, up to the one that would have ended it. */
export function auditWithPreset(
  preset: TrackerPreset,
  run: RecordedRun,
  config: object = {},
): readonly AuditVerdict[] {
  if (preset === 'pawl') return auditRun(run, selectRules({ preset, rules: parsePawlConfig(config).rules }));
  return auditByTracker(run, (at) => startSessionTracker(preset, config, at));
}

type TrackerFactory = (at: number) => SessionTracker;

/** State of an audit replay. */
type TrackerReplay = {
  readonly tracker: SessionTracker;
  readonly at: number;
  /** Recoveries that would have been attempted since the last progress. */
  readonly recoveries: number;
  /** Whether the latest step was text only: if the agent then continues by itself, that is another step of its loop. */
  readonly isTextOnly: boolean;
  readonly judgment: TrackerJudgment | null;
};

/**
 * Feeds recorded steps to a tracker, as a session does with its events. Without recorded times the clock does not
 * advance, so that no verdict results from time alone.
 */
function auditByTracker({ steps }: RecordedRun, createTracker: TrackerFactory): readonly AuditVerdict[] {
  const verdicts: AuditVerdict[] = [];
  const userTexts = new Set<string>();
  const start = steps[0]?.at ?? 0;
  let replay: TrackerReplay = {
    tracker: createTracker(start),
    at: start,
    recoveries: 0,
    isTextOnly: false,
    judgment: null,
  };
  for (const step of steps) {
    const now = { ...replay, at: step.at ?? replay.at };
    replay =
      step.role === 'user'
        ? replayUserStep(now, step.text ?? '', { userTexts, createTracker })
        : replayAssistantStep(now, step);
    const { judgment, recoveries } = replay;
    if (judgment === null) continue;
    const verdict = toAuditVerdict(judgment, step, recoveries);
    verdicts.push(verdict);
    if (verdict.severity === 'stop') break;
  }
  return verdicts;
}

/** Repeated identical text comes from a harness, not from a user, and must not restart the tracker. */
function replayUserStep(
  replay: TrackerReplay,
  text: string,
  { userTexts, createTracker }: { readonly userTexts: Set<string>; readonly createTracker: TrackerFactory },
): TrackerReplay {
  const { tracker, at } = replay;
  const isNew = !userTexts.has(text);
  userTexts.add(text);
  if (tracker.state.detector.kind !== 'savant') return { ...replay, judgment: null };
  return isNew
    ? { ...replay, tracker: createTracker(at), isTextOnly: false, judgment: null }
    : { ...replay, isTextOnly: true, judgment: null };
}

function replayAssistantStep(replay: TrackerReplay, step: RecordedStep): TrackerReplay {
  const { at, isTextOnly } = replay;
  const { i: seq, tool, args = null, text = '' } = step;
  const tracker = isTextOnly ? recordInSession(replay.tracker, { type: 'ticked', at }) : replay.tracker;
  if (tool === undefined) {
    const report = trackReply(tracker, { at, seq, text, continuesTurn: false, calls: [] });
    return { ...replay, ...report, isTextOnly: true };
  }
  const call = { id: String(seq), tool, args };
  const replied = trackReply(tracker, { at, seq, text, continuesTurn: true, calls: [call] });
  // A call that triggers the end of the work never runs.
  if (replied.judgment?.response === 'stop') return { ...replay, ...replied, isTextOnly: false };
  const output = formatToolOutput(step.result ?? '');
  const ok = observeRecordedCall(step, tool).error === null;
  const ended = recordCallOutcome(replied.tracker, call, { at, seq, ok, output });
  const judgment = ended.judgment ?? replied.judgment;
  const recoveries = judgment?.response === 'recover' ? replay.recoveries + 1 : 0;
  return { at, tracker: ended.tracker, recoveries, isTextOnly: false, judgment };
}

/** A recorded run cannot show how a recovery would have ended, so it counts as advice. */
const auditSeverityByResponse: Record<TrackerJudgment['response'], RuleSeverity> = {
  advise: 'advise',
  recover: 'advise',
  halt: 'stop',
  stop: 'stop',
};

function toAuditVerdict(
  { verdict, response }: TrackerJudgment,
  { i }: RecordedStep,
  recoveries: number,
): AuditVerdict {
  const { rule, reason, advice, evidence } = verdict;
  const severity = recoveries > defaultMaxRecoveries ? 'stop' : auditSeverityByResponse[response];
  return { step: i, severity, rule, reason, advice, evidence, counterEvidence: [] };
}
