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

export function computeProgress({ mind, ledger }: TrackerState): ProgressStats {
  const isNexora = mind.kind === 'nexora';
  const successes = isNexora ? mind.actions.filter(({ success }) => success).length : ledger.successes;
  return {
    calls: ledger.callsEnded,
    filesModified: ledger.filesModified,
    commandsExecuted: ledger.commandsExecuted,
    testsPassed: ledger.testsPassed,
    testsFailed: ledger.testsFailed,
    recentSuccesses: successes,
    recentFailures: isNexora ? mind.actions.length - successes : ledger.failures,
    consecutiveErrors: countConsecutiveErrors(mind),
    duplicateMessages: ledger.duplicateMessages,
    milestones: ledger.milestonesReached,
  };
}

function countConsecutiveErrors(mind: TrackerDetectorState): number {
  switch (mind.kind) {
    case 'pawl':
      return takeTailWhile(mind.seen.work, ({ error }) => error !== null).length;
    case 'nexora':
      return mind.consecutiveErrors;
    case 'savant':
      return mind.failedDecisions;
    default:
      return mind satisfies never;
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
  const { mind } = state;
  const { machine } = mind;
  const report = toStuckReport(listTrackerVerdicts(mind, at)[0]);
  return {
    currentState: machine.state,
    durationMs: computeStateDuration(machine, at),
    timeoutMs: mind.kind === 'savant' ? getSavantTimeout(mind.machine.state, mind.config) : null,
    stepCount: machine.steps,
    stateStepCount: machine.stateSteps,
    historyLength: machine.history.length,
    stuck: report.stuck,
    suggestedExit: report.advice || null,
    allowedActions: listAllowedActions(state),
    nextStates: listTrackerNextStates(state),
    lastTools: listRecentCalls(mind).map(({ tool }) => tool),
    lastQueries: mind.kind === 'savant' ? mind.queries.map(({ query }) => query) : [],
  };
}

function listRecentCalls(mind: TrackerDetectorState): readonly { readonly tool: string }[] {
  switch (mind.kind) {
    case 'pawl':
      return mind.seen.work;
    case 'nexora':
      return mind.actions;
    case 'savant':
      return mind.tools;
    default:
      return mind satisfies never;
  }
}

/** Returns the tools that may be called; `*` is any. */
export function listAllowedActions({ mind }: TrackerState): readonly string[] {
  if (mind.kind === 'savant') return listSavantActions(mind.machine.state, mind.config);
  return mind.machine.state === 'Halted' ? [] : ['*'];
}

export function listTrackerNextStates({ mind }: TrackerState): readonly string[] {
  if (mind.kind === 'savant') return listSavantSuccessors(mind.machine.state, mind.config);
  return mind.kind === 'nexora' ? listNexoraSuccessors(mind.machine.state) : [];
}

/** Why the work ended, with a generated summary. */
export type TrackerEnding = { readonly reason: string; readonly summary: string };

export function getTrackerEnding(state: TrackerState, at: number): TrackerEnding | null {
  const { mind } = state;
  if (mind.kind === 'pawl') return null;
  const { history, state: current } = mind.machine;
  if (mind.kind === 'savant') {
    if (mind.finish === null) return null;
    const { reason, verdict } = mind.finish;
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
  { mind }: TrackerState,
  at: number,
  format: SectionFormat = 'full',
): string {
  const { machine } = mind;
  const [verdict] = listTrackerVerdicts(mind, at);
  const advice = verdict?.advice ?? (mind.kind === 'savant' ? mind.refusal : null);
  return renderStateSection({
    phase: machine.state,
    durationMs: computeStateDuration(machine, at),
    stuck: verdict?.level === 'stuck',
    advice,
    format,
  }).join('\n');
}

export function appendPromptSection(prompt: string, state: TrackerState, at: number): string {
  return `${prompt.trimEnd()}\n\n${renderPromptSection(state, at)}`;
}
