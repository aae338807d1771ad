import type { Rule } from '../rules/rule.ts';
import { CallbackQueue } from './callback-queue.ts';
import { getTrackerEnding, type TrackerEnding } from './ending.ts';
import { isDuplicateMessage } from './ledger.ts';
import type { TrackerTransition } from './tracker-machine.ts';
import type { TrackedPhases } from './phases.ts';
import type { PresetState, TrackerPreset } from './presets.ts';
import { computeProgress, computeTotalProgress, type ProgressStats, type TotalProgress } from './progress.ts';
import type { SectionFormat } from './state-section.ts';
import { renderPromptSection, appendPromptSection } from './prompt-section.ts';
import type { CallOutcome, RecordByType, TrackerCall, TrackerRecord } from './tracker-record.ts';
import { createTrackerSnapshot, type TrackerSnapshot } from './snapshot.ts';
import {
  listAllowedActions,
  listTrackerNextStates,
  summarizeTracker,
  type TrackerSummary,
} from './summary.ts';
import { trackRecord, listTrackerVerdicts, type TrackerSignal, type TrackerState } from './track-record.ts';
import { toStuckReport, type StuckReport } from './tracker-verdict.ts';

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
    return this.#state.mind.machine.state;
  }

  get callbackErrors(): readonly unknown[] {
    return this.#deliveries.errors;
  }

  transitionTo(to: PresetState<Preset>, cause = 'requested'): TrackerResult<PresetState<Preset>> {
    const isEnd = to === 'Halted' || to === 'FINISHING';
    if (this.#host.signal?.aborted === true && !isEnd) {
      return { ok: false, state: this.state, error: `the session was aborted, so ${to} cannot follow` };
    }
    return this.#take({ type: 'moved', at: this.#host.now(), to, cause });
  }

  /** Also returns the number of the call, which `recordOutcome` takes. */
  recordToolCall(recorded: RecordedCall): TrackerResult<PresetState<Preset>> & { readonly call: number } {
    const { success, error, output, contentHash, ...call } = recorded;
    const seq = this.#state.ledger.callsMade + 1;
    const made = this.#take({ type: 'call-made', at: this.#host.now(), call });
    const hasError = error !== undefined && error !== '';
    if (success === undefined && !hasError) return { ...made, call: seq };
    const ended = this.recordOutcome(seq, { success: success ?? false, error, output, contentHash });
    return { ...(made.ok ? ended : { ...made, state: ended.state }), call: seq };
  }

  recordOutcome(call: number, outcome: CallOutcome): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'call-ended', at: this.#host.now(), seq: call, outcome });
  }

  /** Records a reply that could not be parsed or requested something unknown. */
  recordFailedDecision(reason: string): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'decision-failed', at: this.#host.now(), reason });
  }

  /** Returns whether one of the latest messages was the same. */
  recordMessage(text: string): { readonly duplicate: boolean } {
    const duplicate = isDuplicateMessage(this.#state.ledger, text);
    this.#take({ type: 'message-said', at: this.#host.now(), text });
    return { duplicate };
  }

  recordTest(command: string, passed: boolean, output = ''): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'test-ran', at: this.#host.now(), command, passed, output });
  }

  recordFileModification(file: string, contentHash: string): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'file-changed', at: this.#host.now(), file, contentHash });
  }

  recordMilestone(description: string): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'milestone-reached', at: this.#host.now(), description });
  }

  recordBlocker(description: string): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'blocker-met', at: this.#host.now(), description });
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
    return this.#take(record);
  }

  completePhase(success = true): TrackerResult<PresetState<Preset>> {
    return this.#take({ type: 'phase-completed', at: this.#host.now(), success });
  }

  /** Records one step of the loop; call it first in each iteration. */
  tick(): StuckReport {
    this.#take({ type: 'ticked', at: this.#host.now() });
    return this.stuck();
  }

  stuck(): StuckReport {
    return toStuckReport(listTrackerVerdicts(this.#state.mind, this.#host.now())[0]);
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
    return this.#state.mind.machine.history;
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

  #take(record: TrackerRecord): TrackerResult<PresetState<Preset>> {
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
        return (signal.verdict.level === 'stuck' ? onStuck : onWarning)?.(toStuckReport(signal.verdict));
      case 'progress':
        return onProgress?.(computeProgress(state));
      default:
        return signal satisfies never;
    }
  }
}
