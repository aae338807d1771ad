import type { Rule } from '../governor/rule.ts';
import { Deliveries } from './deliveries.ts';
import { endingOf, type TrackerEnding } from './ending.ts';
import { isDuplicate } from './ledger.ts';
import type { TrackerTransition } from './machine.ts';
import type { TrackedPhases } from './phases.ts';
import type { StateOf, TrackerPreset } from './presets.ts';
import { progressOf, totalProgressOf, type ProgressStats, type TotalProgress } from './progress.ts';
import type { SectionForm } from '../modes/state-section.ts';
import { promptSectionOf, withPromptSection } from './prompt-section.ts';
import type { CallOutcome, RecordOf, ToolCall, TrackerRecord } from './record.ts';
import { snapshotOf, type TrackerSnapshot } from './snapshot.ts';
import { allowedActionsOf, nextStatesOf, summaryOf, type TrackerSummary } from './summary.ts';
import { track, verdictsOf, type TrackerSignal, type TrackerState } from './track.ts';
import { reportOf, type StuckReport } from './verdict.ts';

/** Who looks on. All are called at once, in order, after the change; what they throw is kept in `callbackErrors`. */
export type TrackerCallbacks<Preset extends TrackerPreset = TrackerPreset> = {
  readonly onStateChange?: ((from: StateOf<Preset>, to: StateOf<Preset>, cause: string) => void) | undefined;
  /** Once for each condition that should stop the work, for as long as it holds. */
  readonly onStuck?: ((report: StuckReport) => void) | undefined;
  /** Once for each condition that is worth a warning, for as long as it holds. */
  readonly onWarning?: ((report: StuckReport) => void) | undefined;
  readonly onProgress?: ((stats: ProgressStats) => void) | undefined;
};

/** What a tracker needs of whoever runs it. */
export type TrackerHost<Preset extends TrackerPreset = TrackerPreset> = TrackerCallbacks<Preset> & {
  /** The time in milliseconds; the tracker has no clock of its own. */
  readonly now: () => number;
  /** For the preset pawl: rules that are judged after its own. */
  readonly ownRules?: readonly Rule[] | undefined;
  /** Once it is aborted, nothing but the end can follow. */
  readonly signal?: { readonly aborted: boolean } | undefined;
};

/** What became of a move or a record. A refusal changes nothing and says why; nothing is thrown. */
export type TrackerResult<State extends string = string> = {
  readonly ok: boolean;
  readonly state: State;
  readonly error: string | null;
};

/** A call, and how it ended if it has. Left open, it is ended with `recordOutcome`. */
export type RecordedCall = ToolCall & Partial<CallOutcome>;

/** Watches over an agent that has a loop of its own. The pure `track` does the work; this holds its state and the clock. */
export class Tracker<Preset extends TrackerPreset = TrackerPreset> {
  readonly sessionId: string;
  readonly #host: TrackerHost<Preset>;
  readonly #deliveries = new Deliveries();
  #state: TrackerState;

  constructor(sessionId: string, state: TrackerState, host: TrackerHost<Preset>) {
    this.sessionId = sessionId;
    this.#state = state;
    this.#host = host;
  }

  /** The name of the state the agent is in. */
  get state(): StateOf<Preset> {
    return this.#state.mind.machine.state;
  }

  get callbackErrors(): readonly unknown[] {
    return this.#deliveries.errors;
  }

  transitionTo(to: StateOf<Preset>, cause = 'requested'): TrackerResult<StateOf<Preset>> {
    const isEnd = to === 'Halted' || to === 'FINISHING';
    if (this.#host.signal?.aborted === true && !isEnd) {
      return { ok: false, state: this.state, error: `the session was aborted, so ${to} cannot follow` };
    }
    return this.#take({ type: 'moved', at: this.#host.now(), to, cause });
  }

  /** Gives the number of the call as well, to be told later how it ended. */
  recordToolCall(recorded: RecordedCall): TrackerResult<StateOf<Preset>> & { readonly call: number } {
    const { success, error, output, contentHash, ...call } = recorded;
    const seq = this.#state.ledger.callsMade + 1;
    const made = this.#take({ type: 'call-made', at: this.#host.now(), call });
    const hasError = error !== undefined && error !== '';
    if (success === undefined && !hasError) return { ...made, call: seq };
    const ended = this.recordOutcome(seq, { success: success ?? false, error, output, contentHash });
    return { ...(made.ok ? ended : { ...made, state: ended.state }), call: seq };
  }

  recordOutcome(call: number, outcome: CallOutcome): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'call-ended', at: this.#host.now(), seq: call, outcome });
  }

  /** A reply that could not be read, or that asked for what does not exist. */
  recordFailedDecision(reason: string): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'decision-failed', at: this.#host.now(), reason });
  }

  /** Says whether one of the latest messages was the same. */
  recordMessage(text: string): { readonly duplicate: boolean } {
    const duplicate = isDuplicate(this.#state.ledger, text);
    this.#take({ type: 'message-said', at: this.#host.now(), text });
    return { duplicate };
  }

  recordTest(command: string, passed: boolean, output = ''): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'test-ran', at: this.#host.now(), command, passed, output });
  }

  recordFileModification(file: string, contentHash: string): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'file-changed', at: this.#host.now(), file, contentHash });
  }

  recordMilestone(description: string): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'milestone-reached', at: this.#host.now(), description });
  }

  recordBlocker(description: string): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'blocker-met', at: this.#host.now(), description });
  }

  startPhase(
    number: number,
    description = '',
    expectedMs: number | null = null,
  ): TrackerResult<StateOf<Preset>> {
    const record: RecordOf<'phase-started'> = {
      type: 'phase-started',
      at: this.#host.now(),
      number,
      description,
      expectedMs,
    };
    return this.#take(record);
  }

  completePhase(success = true): TrackerResult<StateOf<Preset>> {
    return this.#take({ type: 'phase-completed', at: this.#host.now(), success });
  }

  /** One step of the loop; call it before anything else in each. */
  tick(): StuckReport {
    this.#take({ type: 'ticked', at: this.#host.now() });
    return this.stuck();
  }

  stuck(): StuckReport {
    return reportOf(verdictsOf(this.#state.mind, this.#host.now())[0]);
  }

  /** What to tell the model, or an empty text. */
  advice(): string {
    return this.stuck().advice;
  }

  progress(): ProgressStats {
    return progressOf(this.#state);
  }

  totalProgress(): TotalProgress {
    return totalProgressOf(this.#state);
  }

  phases(): TrackedPhases {
    return this.#state.phases;
  }

  elapsedMs(): number {
    return Math.max(0, this.#host.now() - this.#state.startedAt);
  }

  /** The tools that may be called now; `*` is any. */
  allowedActions(): readonly string[] {
    return allowedActionsOf(this.#state);
  }

  nextStates(): readonly StateOf<Preset>[] {
    return nextStatesOf(this.#state) as readonly StateOf<Preset>[];
  }

  /** The latest changes of state, oldest first. */
  history(): readonly TrackerTransition[] {
    return this.#state.mind.machine.history;
  }

  /** How the work came to its end, or null while it has not. */
  ending(): TrackerEnding | null {
    return endingOf(this.#state, this.#host.now());
  }

  /** Where the agent is, for its prompt. */
  promptSection(form?: SectionForm): string {
    return promptSectionOf(this.#state, this.#host.now(), form);
  }

  /** A prompt with that as its last section. */
  withPromptSection(prompt: string): string {
    return withPromptSection(prompt, this.#state, this.#host.now());
  }

  summary(): TrackerSummary {
    return summaryOf(this.#state, this.#host.now());
  }

  toJSON(): TrackerSnapshot {
    return snapshotOf(this.sessionId, this.#state, this.#host.now());
  }

  #take(record: TrackerRecord): TrackerResult<StateOf<Preset>> {
    const { state, error, signals } = track(this.#state, record, this.#host.ownRules);
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
        return onStateChange?.(from as StateOf<Preset>, to as StateOf<Preset>, cause);
      }
      case 'found':
        return (signal.verdict.level === 'stuck' ? onStuck : onWarning)?.(reportOf(signal.verdict));
      case 'progress':
        return onProgress?.(progressOf(state));
      default:
        return signal satisfies never;
    }
  }
}
