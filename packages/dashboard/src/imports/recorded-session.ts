import {
  createSession,
  defaultSettings,
  pawlRules,
  step,
  taken,
  type AuditVerdict,
  type Event,
  type GovernorSettings,
  type Json,
  type RecordedRun,
  type RecordedStep,
  type Session,
  type Verdict,
} from '@pawl/core';
import type { KeptEvent } from '../api/index.ts';

export type RecordedSession = {
  readonly created: Session;
  readonly events: readonly KeptEvent[];
  /** The event that tells what came of a step, by the number of the step. */
  readonly seqOf: ReadonlyMap<number, number>;
  /** Whether the times are those of the run. */
  readonly timed: boolean;
};

/** Put between the steps of a run that has no times. */
const stepMs = 1_000;

/**
 * A recorded run as the session it would have been, with the governor watching. It may only advise: what was run was run,
 * so nothing is refused or ended early. What else it would have done is in the verdicts of the audit, which are events
 * here, each after the step that brought it on.
 */
export function recordedSession(
  run: RecordedRun,
  verdicts: readonly AuditVerdict[],
  { id, now }: { readonly id: string; readonly now: number },
): RecordedSession {
  const timed = run.steps.some(({ at }) => at !== undefined);
  const at = run.steps.find((each) => each.at !== undefined)?.at ?? now;
  const created = createSession({ id, at, settings: watching });
  const telling = new Telling(created, at);
  if (run.steps[0]?.role !== 'user') telling.hear(run.task ?? '', run.task === undefined);
  const byStep = Map.groupBy(verdicts.filter(isGrave), (verdict) => verdict.step);
  for (const each of run.steps) telling.tell(each, byStep.get(each.i) ?? []);
  return { created, events: telling.events, seqOf: telling.seqOf, timed };
}

/** Advice is given by the session's own governor; the rungs above come from the audit. */
function isGrave({ level }: AuditVerdict): boolean {
  return level !== 'nudge';
}

const onlyAdvice: GovernorSettings = {
  preset: 'pawl',
  rules: Object.fromEntries(
    pawlRules.map(({ id, thresholds: { advise } }) => [
      id,
      { advise, refuse: null, ask: null, finish: null },
    ]),
  ),
  recoveries: [],
};

const watching = {
  ...defaultSettings,
  governor: onlyAdvice,
  mutatingTools: [],
  finishMs: null,
  pageOnOverflow: false,
};

/** Feeds a session step by step, and keeps the events that it takes. */
class Telling {
  readonly events: KeptEvent[] = [];
  readonly seqOf = new Map<number, number>();
  readonly #said = new Set<string>();
  /** Reached and not told yet. */
  readonly #verdicts: AuditVerdict[] = [];
  #session: Session;
  #at: number;

  constructor(created: Session, at: number) {
    this.#session = created;
    this.#at = at;
  }

  tell(recorded: RecordedStep, verdicts: readonly AuditVerdict[]): void {
    this.#at = Math.max(this.#at, recorded.at ?? this.#at + stepMs);
    if (recorded.role === 'user') this.hear(recorded.text ?? '', this.#said.has(recorded.text ?? ''));
    else this.#work(recorded);
    this.#verdicts.push(...verdicts);
    this.#judge();
  }

  /** A harness that says the same thing after every step is not a user who has something to say. */
  hear(text: string, automatic: boolean): void {
    this.#said.add(text);
    const at = this.#at;
    if (this.#session.turn.status === 'waitingForUser') {
      this.#take({ type: 'user-message', at, text, ...(automatic && { automatic }) });
    } else this.#take({ type: 'steered', at, text });
  }

  #work({ i, text = '', tool, args, result, error, tokens, inputTokens }: RecordedStep): void {
    this.#askModel();
    this.#judge();
    const at = this.#at;
    const usage =
      tokens === undefined && inputTokens === undefined
        ? {}
        : { usage: { inputTokens: inputTokens ?? 0, outputTokens: tokens ?? 0 } };
    const id = `step-${i}`;
    const calls = tool === undefined ? [] : [{ id, tool, args: shallow(args ?? null) }];
    this.#take({ type: 'model-replied', at, text, calls, ...usage });
    if (tool !== undefined && this.#session.turn.status === 'executingTools') {
      const output = shallow(result ?? '');
      this.#take({ type: 'tool-started', at, callId: id });
      this.#take({
        type: 'tool-finished',
        at,
        callId: id,
        outcome:
          error === true
            ? { ok: false, error: { kind: 'failed', message: textOf(output) } }
            : { ok: true, output },
      });
    }
    this.seqOf.set(i, this.#session.seq);
  }

  /** Whatever the session waits for: the record says that the model was asked next. */
  #askModel(): void {
    const at = this.#at;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const { turn } = this.#session;
      if (turn.status === 'callingModel') return;
      if (turn.status === 'waitingForUser') this.hear('', true);
      else if (turn.status !== 'errorRecovery') return;
      else if (turn.origin === 'tool') {
        this.#take({ type: 'recovery-finished', at, outcome: { kind: 'ask-model' } });
      } else {
        this.#at = Math.max(at, turn.retryAt);
        this.#take({ type: 'retry-due', at: this.#at });
      }
    }
  }

  /** A verdict that comes after the end of a turn is told once the work goes on. */
  #judge(): void {
    while (this.#verdicts[0] !== undefined && this.#take(this.#reached(this.#verdicts[0])))
      this.#verdicts.shift();
  }

  #reached({ rule, reason, advice, evidence, counterEvidence }: AuditVerdict): Event {
    const verdict: Verdict = {
      level: 'stuck',
      rule,
      reason,
      advice,
      evidence: seqsOf(evidence, this.seqOf),
      counterEvidence: seqsOf(counterEvidence, this.seqOf),
      response: { kind: 'advise' },
    };
    return { type: 'verdict-reached', at: this.#at, verdict };
  }

  #take(event: Event): boolean {
    const stepped = step(this.#session, event);
    if (!taken(stepped).ok || stepped.session.seq === this.#session.seq) return false;
    this.#session = stepped.session;
    this.events.push({ seq: stepped.session.seq, event });
    return true;
  }
}

const triesMax = 3;

export function seqsOf(steps: readonly number[], seqOf: ReadonlyMap<number, number>): number[] {
  return steps.flatMap((each) => seqOf.get(each) ?? []);
}

/** Nobody reads arguments that are nested deeper, and some programs cannot. */
const depthMax = 60;

function shallow(value: Json): Json {
  return isDeeper(value, depthMax) ? '[nested too deep to be shown]' : value;
}

/** Looks no deeper than the limit. */
function isDeeper(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((part) => isDeeper(part, limit - 1));
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
