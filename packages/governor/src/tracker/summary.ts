import { computeStateDuration } from './tracker-machine.ts';
import { listNexoraSuccessors } from './nexora/states.ts';
import type { TrackerDetectorState } from './presets.ts';
import { listSavantActions, listSavantSuccessors, getSavantTimeout } from './savant/states.ts';
import { listTrackerVerdicts, type TrackerState } from './track-record.ts';
import { toStuckReport } from './tracker-verdict.ts';

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
