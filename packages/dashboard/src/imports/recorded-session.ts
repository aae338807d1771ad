import {
  createSession,
  defaultSettings,
  step,
  getStepOutcome,
  type Event,
  type GovernorSettings,
  type Json,
  type Session,
  type Verdict,
} from '@pawl/core';
import type { AuditVerdict } from '@pawl/governor/audit';
import { pawlRules } from '@pawl/governor/rules';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import type { NumberedEvent } from '../api/index.ts';

export type RecordedSession = {
  readonly created: Session;
  readonly events: readonly NumberedEvent[];
  /** Maps the number of a recorded step to the sequence number of the event with its result. */
  readonly seqByStep: ReadonlyMap<number, number>;
  /** Whether the timestamps come from the recorded run. */
  readonly hasTimestamps: boolean;
};

/** Interval between the steps of a run without timestamps. */
const stepMs = 1_000;

/**
 * Converts a recorded run into an equivalent session with a governor that only advises: the calls have already run, so
 * nothing is blocked or stopped early. The audit's more severe verdicts become events, each after the step that caused
 * it.
 */
export function buildRecordedSession(
  run: RecordedRun,
  verdicts: readonly AuditVerdict[],
  { id, now }: { readonly id: string; readonly now: number },
): RecordedSession {
  const hasTimestamps = run.steps.some(({ at }) => at !== undefined);
  const at = run.steps.find((each) => each.at !== undefined)?.at ?? now;
  const created = createSession({ id, at, settings: observingSettings });
  const builder = new RecordedSessionBuilder(created, at);
  if (run.steps[0]?.role !== 'user') builder.addUserMessage(run.task ?? '', run.task === undefined);
  const byStep = Map.groupBy(verdicts.filter(isAboveAdvice), (verdict) => verdict.step);
  for (const each of run.steps) builder.addStep(each, byStep.get(each.i) ?? []);
  return { created, events: builder.events, seqByStep: builder.seqByStep, hasTimestamps };
}

/** The session's own governor gives the advice; the severities above it come from the audit. */
function isAboveAdvice({ severity }: AuditVerdict): boolean {
  return severity !== 'advise';
}

const adviceOnlyGovernor: GovernorSettings = {
  preset: 'pawl',
  rules: Object.fromEntries(
    pawlRules.map(({ id, thresholds: { advise } }) => [id, { advise, block: null, ask: null, stop: null }]),
  ),
  recoveries: [],
};

const observingSettings = {
  ...defaultSettings,
  governor: adviceOnlyGovernor,
  mutatingTools: [],
  finishMs: null,
  pageOnOverflow: false,
};

/** Feeds recorded steps into a session and collects the events that the session accepts. */
class RecordedSessionBuilder {
  readonly events: NumberedEvent[] = [];
  readonly seqByStep = new Map<number, number>();
  readonly #userTexts = new Set<string>();
  /** Verdicts that were reached but are not in the log yet. */
  readonly #verdicts: AuditVerdict[] = [];
  #session: Session;
  #at: number;

  constructor(created: Session, at: number) {
    this.#session = created;
    this.#at = at;
  }

  addStep(recorded: RecordedStep, verdicts: readonly AuditVerdict[]): void {
    this.#at = Math.max(this.#at, recorded.at ?? this.#at + stepMs);
    if (recorded.role === 'user')
      this.addUserMessage(recorded.text ?? '', this.#userTexts.has(recorded.text ?? ''));
    else this.#addModelStep(recorded);
    this.#verdicts.push(...verdicts);
    this.#applyVerdicts();
  }

  /** A repeated message comes from the harness, not from a user, and is marked `automatic`. */
  addUserMessage(text: string, automatic: boolean): void {
    this.#userTexts.add(text);
    const at = this.#at;
    if (this.#session.turn.status === 'waitingForUser') {
      this.#apply({ type: 'user-message', at, text, ...(automatic && { automatic }) });
    } else this.#apply({ type: 'steered', at, text });
  }

  #addModelStep({ i, text = '', tool, args, result, error, tokens, inputTokens }: RecordedStep): void {
    this.#advanceToModelCall();
    this.#applyVerdicts();
    const at = this.#at;
    const usage =
      tokens === undefined && inputTokens === undefined
        ? {}
        : { usage: { inputTokens: inputTokens ?? 0, outputTokens: tokens ?? 0 } };
    const id = `step-${i}`;
    const calls = tool === undefined ? [] : [{ id, tool, args: replaceDeepValue(args ?? null) }];
    this.#apply({ type: 'model-replied', at, text, calls, ...usage });
    if (tool !== undefined && this.#session.turn.status === 'executingTools') {
      const output = replaceDeepValue(result ?? '');
      this.#apply({ type: 'tool-started', at, callId: id });
      this.#apply({
        type: 'tool-finished',
        at,
        callId: id,
        outcome:
          error === true
            ? { ok: false, error: { kind: 'failed', message: toResultText(output) } }
            : { ok: true, output },
      });
    }
    this.seqByStep.set(i, this.#session.seq);
  }

  /** Moves the session to the model call that the record contains next, whatever state it is in. */
  #advanceToModelCall(): void {
    const at = this.#at;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { turn } = this.#session;
      if (turn.status === 'callingModel') return;
      if (turn.status === 'waitingForUser') this.addUserMessage('', true);
      else if (turn.status !== 'errorRecovery') return;
      else if (turn.origin === 'tool') {
        this.#apply({ type: 'recovery-finished', at, outcome: { kind: 'ask-model' } });
      } else {
        this.#at = Math.max(at, turn.retryAt);
        this.#apply({ type: 'retry-due', at: this.#at });
      }
    }
  }

  /** A verdict that cannot be applied because the turn has ended is applied when work resumes. */
  #applyVerdicts(): void {
    while (this.#verdicts[0] !== undefined && this.#apply(this.#toVerdictEvent(this.#verdicts[0])))
      this.#verdicts.shift();
  }

  #toVerdictEvent({ rule, reason, advice, evidence, counterEvidence }: AuditVerdict): Event {
    const verdict: Verdict = {
      severity: 'stop',
      rule,
      reason,
      advice,
      evidence: toEventNumbers(evidence, this.seqByStep),
      counterEvidence: toEventNumbers(counterEvidence, this.seqByStep),
      response: { kind: 'advise' },
    };
    return { type: 'verdict-reached', at: this.#at, verdict };
  }

  #apply(event: Event): boolean {
    const result = step(this.#session, event);
    if (!getStepOutcome(result).ok || result.session.seq === this.#session.seq) return false;
    this.#session = result.session;
    this.events.push({ seq: result.session.seq, event });
    return true;
  }
}

const attemptsMax = 3;

export function toEventNumbers(steps: readonly number[], seqOf: ReadonlyMap<number, number>): number[] {
  return steps.flatMap((each) => seqOf.get(each) ?? []);
}

/** Deeper arguments are unreadable, and some programs cannot parse them. */
const argumentDepthMax = 60;

function replaceDeepValue(value: Json): Json {
  return isDeeperThanLimit(value, argumentDepthMax) ? '[nested too deeply to show]' : value;
}

/** Recurses no deeper than the limit. */
function isDeeperThanLimit(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((part) => isDeeperThanLimit(part, limit - 1));
}

function toResultText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
