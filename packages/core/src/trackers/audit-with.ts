import { audit, type AuditLevel, type AuditVerdict } from '../governor/audit.ts';
import { textOf } from '../governor/observation.ts';
import { rulesFor } from '../governor/rulebook.ts';
import { defaultSettings } from '../settings.ts';
import type { RecordedRun, RecordedStep } from '../traces/recorded-run.ts';
import { hearOutcome, hearRecord, hearReply, sessionTracker, type SessionTracker } from './in-session.ts';
import type { Judgement } from './judgement.ts';
import { pawlConfig } from './pawl/config.ts';
import type { TrackerPreset } from './presets.ts';

/** What a preset would have said about a recorded run, up to the verdict that would have ended it. */
export function auditWith(
  preset: TrackerPreset,
  run: RecordedRun,
  config: object = {},
): readonly AuditVerdict[] {
  if (preset === 'pawl') return audit(run, rulesFor({ preset, rules: pawlConfig(config).rules }));
  return auditByTracker(run, (at) => sessionTracker(preset, config, at));
}

type Begin = (at: number) => SessionTracker;

/** How far a replay has come. */
type Replay = {
  readonly tracker: SessionTracker;
  readonly at: number;
  /** Ways out that would have been looked for since the work last moved. */
  readonly recoveries: number;
  /** Whether the latest step was mere talk: if the agent goes on by itself, that is another step of its loop. */
  readonly isTalk: boolean;
  readonly judgement: Judgement | null;
};

/**
 * Tells a tracker of the steps as a session would of its events. Where nobody recorded the time, none passes, so that no
 * verdict comes of time alone.
 */
function auditByTracker({ steps }: RecordedRun, begin: Begin): readonly AuditVerdict[] {
  const verdicts: AuditVerdict[] = [];
  const said = new Set<string>();
  const start = steps[0]?.at ?? 0;
  let replay: Replay = { tracker: begin(start), at: start, recoveries: 0, isTalk: false, judgement: null };
  for (const step of steps) {
    const now = { ...replay, at: step.at ?? replay.at };
    replay = step.role === 'user' ? hearUser(now, step.text ?? '', { said, begin }) : hearStep(now, step);
    const { judgement, recoveries } = replay;
    if (judgement === null) continue;
    const verdict = verdictOn(judgement, step, recoveries);
    verdicts.push(verdict);
    if (verdict.level === 'stop') break;
  }
  return verdicts;
}

/** A harness that says the same thing after every step is not a user who has something to say. */
function hearUser(
  replay: Replay,
  text: string,
  { said, begin }: { readonly said: Set<string>; readonly begin: Begin },
): Replay {
  const { tracker, at } = replay;
  const isNew = !said.has(text);
  said.add(text);
  if (tracker.state.mind.kind !== 'savant') return { ...replay, judgement: null };
  return isNew
    ? { ...replay, tracker: begin(at), isTalk: false, judgement: null }
    : { ...replay, isTalk: true, judgement: null };
}

function hearStep(replay: Replay, step: RecordedStep): Replay {
  const { at, isTalk } = replay;
  const { i: seq, tool, args = null, text = '' } = step;
  const tracker = isTalk ? hearRecord(replay.tracker, { type: 'ticked', at }) : replay.tracker;
  if (tool === undefined) {
    const talked = hearReply(tracker, { at, seq, text, goesOn: false, calls: [] });
    return { ...replay, ...talked, isTalk: true };
  }
  const call = { id: String(seq), tool, args };
  const replied = hearReply(tracker, { at, seq, text, goesOn: true, calls: [call] });
  // A call that the work is ended for is never run.
  if (replied.judgement?.response === 'finish') return { ...replay, ...replied, isTalk: false };
  const said = textOf(step.result ?? '');
  const ended = hearOutcome(replied.tracker, call, { at, seq, ok: step.error !== true, said });
  const judgement = ended.judgement ?? replied.judgement;
  const recoveries = judgement?.response === 'recover' ? replay.recoveries + 1 : 0;
  return { at, tracker: ended.tracker, recoveries, isTalk: false, judgement };
}

/** A run does not tell how a recovery went that it has never had: a way out is a word to the model. */
const levels: Record<Judgement['response'], AuditLevel> = {
  advise: 'nudge',
  recover: 'nudge',
  halt: 'stop',
  finish: 'stop',
};

function verdictOn({ verdict, response }: Judgement, { i }: RecordedStep, recoveries: number): AuditVerdict {
  const { rule, reason, advice, evidence } = verdict;
  const level = recoveries > defaultSettings.maxRecoveries ? 'stop' : levels[response];
  return { step: i, level, rule, reason, advice, evidence, counterEvidence: [] };
}
