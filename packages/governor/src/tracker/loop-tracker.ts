import { isStuckVerdict } from '../verdicts/verdict.ts';
import { pawlRules } from '../rules/pawl-rules.ts';
import type { Rule } from '../rules/rule.ts';
import { appendRecent, type TrackerTransition } from './tracker-machine.ts';
import { isDuplicateMessage } from './ledger.ts';
import { parsePawlConfig } from './pawl.ts';
import type { TrackedPhases } from './phases.ts';
import type { TrackerConfig, TrackerPreset, PresetState } from './presets.ts';
import {
  getTrackerEnding,
  type TrackerEnding,
  computeProgress,
  computeTotalProgress,
  type ProgressStats,
  type TotalProgress,
  renderPromptSection,
  appendPromptSection,
  listAllowedActions,
  listTrackerNextStates,
  summarizeTracker,
  type TrackerSummary,
} from './report.ts';
import { parseTrackerSnapshot, createTrackerSnapshot, type TrackerSnapshot } from './snapshot.ts';
import type { SectionFormat } from './state-section.ts';
import {
  startTracking,
  trackRecord,
  listTrackerVerdicts,
  type TrackerSignal,
  type TrackerState,
} from './track-record.ts';
import type { CallOutcome, RecordByType, TrackerCall, TrackerRecord } from './tracker-record.ts';
import { toStuckReport, type StuckReport } from './tracker-verdict.ts';

export type TrackerOptions<Preset extends TrackerPreset> = TrackerHost<Preset> & {
  readonly sessionId: string;
  readonly preset: Preset;
  readonly totalPhases?: number | undefined;
  readonly config?: TrackerConfig<Preset> | undefined;
  /** For the nexora presets: enter ErrorRecovery and Halted automatically. */
  readonly autoHalt?: boolean | undefined;
};

/** Creates a tracker for an agent that runs its own loop; throws a TypeError for invalid options. */
export function createTracker<Preset extends TrackerPreset>(
  options: TrackerOptions<Preset>,
): LoopTracker<Preset> {
  const { sessionId, preset, totalPhases, config, autoHalt, ...host } = options;
  checkTrackerHost(options);
  checkPresetOptions(options);
  const given = autoHalt === undefined ? config : { ...config, autoHalt };
  return new LoopTracker(
    sessionId,
    startTracking({ preset, at: host.now(), config: given, totalPhases }),
    host,
  );
}

function checkTrackerHost({ sessionId, now, totalPhases }: TrackerOptions<TrackerPreset>): void {
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new TypeError('A tracker needs a sessionId: a text that is not empty.');
  }
  if (typeof now !== 'function') {
    throw new TypeError(
      'A tracker needs now: a function that gives the time in milliseconds, such as Date.now.',
    );
  }
  const hasPhases = totalPhases !== undefined;
  if (hasPhases && !(Number.isInteger(totalPhases) && totalPhases >= 1 && totalPhases <= 10_000)) {
    throw new TypeError(`totalPhases expects a whole number from 1 to 10000, and got ${totalPhases}.`);
  }
}

function checkPresetOptions({ preset, config, autoHalt, ownRules }: TrackerOptions<TrackerPreset>): void {
  if (autoHalt !== undefined && (preset === 'savant' || preset === 'pawl')) {
    throw new TypeError('autoHalt is for the nexora presets; for savant set policy in its config.');
  }
  if (preset === 'pawl') checkRuleIds(config ?? {}, ownRules ?? []);
  else if (ownRules !== undefined) {
    throw new TypeError(`ownRules are for the preset pawl; ${preset} has rules of another kind.`);
  }
}

/** An override for an unknown rule would be silently ignored. */
function checkRuleIds(config: object, ownRules: readonly Rule[]): void {
  const { rules } = parsePawlConfig(config);
  const known = [...pawlRules, ...ownRules].map(({ id }) => id);
  const unknown = Object.keys(rules).find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw new TypeError(`Tracker config: there is no rule ${unknown}. The rules are ${known.join(', ')}.`);
}

/** Restores a tracker from its snapshot. */
export function restoreTracker(snapshot: unknown, host: TrackerHost): LoopTracker {
  const { sessionId, state } = parseTrackerSnapshot(snapshot);
  return new LoopTracker<TrackerPreset>(sessionId, state, host);
}

/**
 * Observers of a tracker, called synchronously and in order after the change. Errors they throw go to `callbackErrors`.
 */
export type TrackerCallbacks<Preset extends TrackerPreset = TrackerPreset> = {
  readonly onStateChange?:
    | ((from: PresetState<Preset>, to: PresetState<Preset>, cause: string) => void)
    | undefined;
  /** Called once per condition that should stop the work, while it holds. */
  readonly onStuck?: ((report: StuckReport) => void) | undefined;
  /** Called once per condition that deserves a warning, while it holds. */
  readonly onWarning?: ((report: StuckReport) => void) | undefined;
  readonly onProgress?: ((stats: ProgressStats) => void) | undefined;
};

/** What the host provides to a tracker. */
export type TrackerHost<Preset extends TrackerPreset = TrackerPreset> = TrackerCallbacks<Preset> & {
  /** Returns the time in milliseconds; the tracker has no clock of its own. */
  readonly now: () => number;
  /** For the pawl preset: rules judged after its own. */
  readonly ownRules?: readonly Rule[] | undefined;
  /** After an abort, only a transition to a terminal state is accepted. */
  readonly signal?: { readonly aborted: boolean } | undefined;
};

/** The result of a transition or record. A refused one changes nothing and says why; no method throws. */
export type TrackerResult<State extends string = string> = {
  readonly ok: boolean;
  readonly state: State;
  readonly error: string | null;
};

/** A call and its outcome, if it has ended; otherwise `recordOutcome` ends it. */
export type RecordedCall = TrackerCall & Partial<CallOutcome>;

/**
 * Monitors an agent that has its own loop. The pure `trackRecord` does the work; this class holds its state and the
 * clock.
 */
export class LoopTracker<Preset extends TrackerPreset = TrackerPreset> {
  readonly sessionId: string;
  readonly #host: TrackerHost<Preset>;
  readonly #deliveries = new CallbackQueue();
  #state: TrackerState;

  constructor(sessionId: string, state: TrackerState, host: TrackerHost<Preset>) {
    this.sessionId = sessionId;
    this.#state = state;
    this.#host = host;
  }

  /** The name of the agent's current state. */
  get state(): PresetState<Preset> {
    return this.#state.detector.machine.state;
  }

  get callbackErrors(): readonly unknown[] {
    return this.#deliveries.errors;
  }

  transitionTo(to: PresetState<Preset>, cause = 'requested'): TrackerResult<PresetState<Preset>> {
    const isEnd = to === 'Halted' || to === 'FINISHING';
    if (this.#host.signal?.aborted === true && !isEnd) {
      return { ok: false, state: this.state, error: `the session was aborted, so ${to} cannot follow` };
    }
    return this.#applyRecord({ type: 'moved', at: this.#host.now(), to, cause });
  }

  /** Also returns the number of the call, which `recordOutcome` takes. */
  recordToolCall(recorded: RecordedCall): TrackerResult<PresetState<Preset>> & { readonly call: number } {
    const { success, error, output, contentHash, ...call } = recorded;
    const seq = this.#state.ledger.callsMade + 1;
    const result = this.#applyRecord({ type: 'call-made', at: this.#host.now(), call });
    const hasError = error !== undefined && error !== '';
    if (success === undefined && !hasError) return { ...result, call: seq };
    const ended = this.recordOutcome(seq, { success: success ?? false, error, output, contentHash });
    return { ...(result.ok ? ended : { ...result, state: ended.state }), call: seq };
  }

  recordOutcome(call: number, outcome: CallOutcome): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'call-ended', at: this.#host.now(), seq: call, outcome });
  }

  /** Records a reply that could not be parsed or requested something unknown. */
  recordFailedDecision(reason: string): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'decision-failed', at: this.#host.now(), reason });
  }

  /** Returns whether one of the latest messages was the same. */
  recordMessage(text: string): { readonly duplicate: boolean } {
    const duplicate = isDuplicateMessage(this.#state.ledger, text);
    this.#applyRecord({ type: 'message-said', at: this.#host.now(), text });
    return { duplicate };
  }

  recordTest(command: string, passed: boolean, output = ''): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'test-ran', at: this.#host.now(), command, passed, output });
  }

  recordFileModification(file: string, contentHash: string): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'file-changed', at: this.#host.now(), file, contentHash });
  }

  recordMilestone(description: string): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'milestone-reached', at: this.#host.now(), description });
  }

  recordBlocker(description: string): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'blocker-met', at: this.#host.now(), description });
  }

  startPhase(
    number: number,
    description = '',
    expectedMs: number | null = null,
  ): TrackerResult<PresetState<Preset>> {
    const record: RecordByType<'phase-started'> = {
      type: 'phase-started',
      at: this.#host.now(),
      number,
      description,
      expectedMs,
    };
    return this.#applyRecord(record);
  }

  completePhase(success = true): TrackerResult<PresetState<Preset>> {
    return this.#applyRecord({ type: 'phase-completed', at: this.#host.now(), success });
  }

  /** Records one step of the loop; call it first in each iteration. */
  tick(): StuckReport {
    this.#applyRecord({ type: 'ticked', at: this.#host.now() });
    return this.stuck();
  }

  stuck(): StuckReport {
    return toStuckReport(listTrackerVerdicts(this.#state.detector, this.#host.now())[0]);
  }

  /** Returns the advice for the model, or an empty string. */
  advice(): string {
    return this.stuck().advice;
  }

  progress(): ProgressStats {
    return computeProgress(this.#state);
  }

  totalProgress(): TotalProgress {
    return computeTotalProgress(this.#state);
  }

  phases(): TrackedPhases {
    return this.#state.phases;
  }

  elapsedMs(): number {
    return Math.max(0, this.#host.now() - this.#state.startedAt);
  }

  /** Returns the tools that may be called now; `*` is any. */
  allowedActions(): readonly string[] {
    return listAllowedActions(this.#state);
  }

  nextStates(): readonly PresetState<Preset>[] {
    return listTrackerNextStates(this.#state) as readonly PresetState<Preset>[];
  }

  /** Returns the latest state changes, oldest first. */
  history(): readonly TrackerTransition[] {
    return this.#state.detector.machine.history;
  }

  /** Returns why the work ended, or null if it has not. */
  ending(): TrackerEnding | null {
    return getTrackerEnding(this.#state, this.#host.now());
  }

  /** Renders the agent's state for its prompt. */
  promptSection(form?: SectionFormat): string {
    return renderPromptSection(this.#state, this.#host.now(), form);
  }

  /** Appends that section to a prompt. */
  withPromptSection(prompt: string): string {
    return appendPromptSection(prompt, this.#state, this.#host.now());
  }

  summary(): TrackerSummary {
    return summarizeTracker(this.#state, this.#host.now());
  }

  toJSON(): TrackerSnapshot {
    return createTrackerSnapshot(this.sessionId, this.#state, this.#host.now());
  }

  #applyRecord(record: TrackerRecord): TrackerResult<PresetState<Preset>> {
    const { state, error, signals } = trackRecord(this.#state, record, this.#host.ownRules);
    this.#state = state;
    const result = { ok: error === null, state: this.state, error };
    this.#deliveries.add(signals.map((signal) => () => this.#deliver(signal, state)));
    return result;
  }

  #deliver(signal: TrackerSignal, state: TrackerState): void {
    const { onStateChange, onStuck, onWarning, onProgress } = this.#host;
    switch (signal.type) {
      case 'state-changed': {
        const { from, to, cause } = signal.transition;
        return onStateChange?.(from as PresetState<Preset>, to as PresetState<Preset>, cause);
      }
      case 'found':
        return (isStuckVerdict(signal.verdict) ? onStuck : onWarning)?.(toStuckReport(signal.verdict));
      case 'progress':
        return onProgress?.(computeProgress(state));
      default:
        return signal satisfies never;
    }
  }
}

/** Maximum number of deliveries that one record may cause through listeners that add records themselves. */
const callbackDeliveriesMax = 1_000;
const callbackErrorsMax = 20;

/**
 * Delivers callbacks one at a time, in order, including those that a callback causes. Errors thrown by callbacks are
 * collected and change nothing.
 */
class CallbackQueue {
  readonly #waiting: (() => void)[] = [];
  #isDelivering = false;
  #errors: readonly unknown[] = [];

  get errors(): readonly unknown[] {
    return this.#errors;
  }

  add(deliveries: readonly (() => void)[]): void {
    this.#waiting.push(...deliveries);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    let count = 0;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      count += 1;
      this.#deliver(next);
      if (count === callbackDeliveriesMax) this.#dropWaiting();
    }
    this.#isDelivering = false;
  }

  #deliver(delivery: () => void): void {
    try {
      delivery();
    } catch (error) {
      this.#saveError(error);
    }
  }

  #dropWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#waiting.length = 0;
    this.#saveError(
      new Error(`Callbacks led to more than ${callbackDeliveriesMax} further calls; the rest was dropped.`),
    );
  }

  #saveError(error: unknown): void {
    this.#errors = appendRecent(this.#errors, error, callbackErrorsMax);
  }
}
