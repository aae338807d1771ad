import { isStuckVerdict } from '../verdicts/verdict.ts';
import { takeTailWhile } from '../rules/window-queries.ts';
import { listNexoraSuccessors } from './nexora.ts';
import type { TrackerDetectorState } from './presets.ts';
import { listSavantActions, listSavantSuccessors, getSavantTimeout } from './savant.ts';
import { renderStateSection, type SectionFormat } from './state-section.ts';
import { type TrackerState, listTrackerVerdicts } from './track-record.ts';
import { computeStateDuration } from './tracker-machine.ts';
import { toStuckReport } from './tracker-verdict.ts';

/** Progress statistics. "Recent" covers what is still remembered since the latest phase started. */
export type ProgressStats = {
  readonly calls: number;
  readonly filesModified: number;
  readonly commandsExecuted: number;
  readonly testsPassed: number;
  readonly testsFailed: number;
  readonly recentSuccesses: number;
  readonly recentFailures: number;
  readonly consecutiveErrors: number;
  readonly duplicateMessages: number;
  readonly milestones: number;
};

export type TotalProgress = {
  readonly totalPhases: number | null;
  readonly completedPhases: number;
  readonly successfulPhases: number;
  readonly currentPhase: number | null;
  readonly calls: number;
  readonly filesChanged: number;
  readonly testsPassed: number;
};

export function computeProgress({ detector, ledger }: TrackerState): ProgressStats {
  const isNexora = detector.kind === 'nexora';
  const successes = isNexora ? detector.actions.filter(({ success }) => success).length : ledger.successes;
  return {
    calls: ledger.callsEnded,
    filesModified: ledger.filesModified,
    commandsExecuted: ledger.commandsExecuted,
    testsPassed: ledger.testsPassed,
    testsFailed: ledger.testsFailed,
    recentSuccesses: successes,
    recentFailures: isNexora ? detector.actions.length - successes : ledger.failures,
    consecutiveErrors: countConsecutiveErrors(detector),
    duplicateMessages: ledger.duplicateMessages,
    milestones: ledger.milestonesReached,
  };
}

function countConsecutiveErrors(detector: TrackerDetectorState): number {
  switch (detector.kind) {
    case 'pawl':
      return takeTailWhile(detector.windows.call, ({ error }) => error !== null).length;
    case 'nexora':
      return detector.consecutiveErrors;
    case 'savant':
      return detector.failedDecisions;
    default:
      return detector satisfies never;
  }
}

export function computeTotalProgress({ ledger, phases }: TrackerState): TotalProgress {
  return {
    totalPhases: phases.total,
    completedPhases: phases.completed.length,
    successfulPhases: phases.completed.filter(({ success }) => success).length,
    currentPhase: phases.current?.number ?? null,
    calls: ledger.callsEnded,
    filesChanged: ledger.filesModified,
    testsPassed: ledger.testsPassed,
  };
}

/** The agent's state in one flat object, for a prompt, a log line or a page. */
export type TrackerSummary = {
  readonly currentState: string;
  readonly durationMs: number;
  /** Time limit of the state; null for none. It also applies to the caller that finishes the work. */
  readonly timeoutMs: number | null;
  readonly stepCount: number;
  readonly stateStepCount: number;
  readonly historyLength: number;
  readonly stuck: boolean;
  readonly suggestedExit: string | null;
  readonly allowedActions: readonly string[];
  readonly nextStates: readonly string[];
  readonly lastTools: readonly string[];
  readonly lastQueries: readonly string[];
};

export function summarizeTracker(state: TrackerState, at: number): TrackerSummary {
  const { detector } = state;
  const { machine } = detector;
  const report = toStuckReport(listTrackerVerdicts(detector, at)[0]);
  return {
    currentState: machine.state,
    durationMs: computeStateDuration(machine, at),
    timeoutMs: detector.kind === 'savant' ? getSavantTimeout(detector.machine.state, detector.config) : null,
    stepCount: machine.steps,
    stateStepCount: machine.stateSteps,
    historyLength: machine.history.length,
    stuck: report.stuck,
    suggestedExit: report.advice || null,
    allowedActions: listAllowedActions(state),
    nextStates: listTrackerNextStates(state),
    lastTools: listRecentCalls(detector).map(({ tool }) => tool),
    lastQueries: detector.kind === 'savant' ? detector.queries.map(({ query }) => query) : [],
  };
}

function listRecentCalls(detector: TrackerDetectorState): readonly { readonly tool: string }[] {
  switch (detector.kind) {
    case 'pawl':
      return detector.windows.call;
    case 'nexora':
      return detector.actions;
    case 'savant':
      return detector.tools;
    default:
      return detector satisfies never;
  }
}

/** Returns the tools that may be called; `*` is any. */
export function listAllowedActions({ detector }: TrackerState): readonly string[] {
  if (detector.kind === 'savant') return listSavantActions(detector.machine.state, detector.config);
  return detector.machine.state === 'Halted' ? [] : ['*'];
}

export function listTrackerNextStates({ detector }: TrackerState): readonly string[] {
  if (detector.kind === 'savant') return listSavantSuccessors(detector.machine.state, detector.config);
  return detector.kind === 'nexora' ? listNexoraSuccessors(detector.machine.state) : [];
}

/** Why the work ended, with a generated summary. */
export type TrackerEnding = { readonly reason: string; readonly summary: string };

export function getTrackerEnding(state: TrackerState, at: number): TrackerEnding | null {
  const { detector } = state;
  if (detector.kind === 'pawl') return null;
  const { history, state: current } = detector.machine;
  if (detector.kind === 'savant') {
    if (detector.finish === null) return null;
    const { reason, verdict } = detector.finish;
    return { reason, summary: summarizeLedger(state, verdict?.reason ?? 'the work was finished', at) };
  }
  if (current !== 'Halted') return null;
  const cause = history.at(-1)?.cause ?? 'halted';
  return { reason: cause, summary: summarizeLedger(state, `halted: ${cause}`, at) };
}

function summarizeLedger({ startedAt, ledger }: TrackerState, why: string, at: number): string {
  const { callsMade, failures, milestones } = ledger;
  const found = milestones.map(({ description }) => description).join('; ') || 'nothing was marked as found';
  return `After ${Math.max(0, at - startedAt)}ms and ${callsMade} calls, ${failures} of them failed: ${why}. So far: ${found}.`;
}

/**
 * Renders the agent's state for its prompt. It belongs at the very bottom, because models follow the last instructions
 * best. Advice is given when the agent is stuck and after a refused transition.
 */
export function renderPromptSection(
  { detector }: TrackerState,
  at: number,
  format: SectionFormat = 'full',
): string {
  const { machine } = detector;
  const [verdict] = listTrackerVerdicts(detector, at);
  const advice = verdict?.advice ?? (detector.kind === 'savant' ? detector.refusal : null);
  return renderStateSection({
    phase: machine.state,
    durationMs: computeStateDuration(machine, at),
    stuck: verdict !== undefined && isStuckVerdict(verdict),
    advice,
    format,
  }).join('\n');
}

export function appendPromptSection(prompt: string, state: TrackerState, at: number): string {
  return `${prompt.trimEnd()}\n\n${renderPromptSection(state, at)}`;
}
