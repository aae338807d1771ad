import { durationMs } from './machine.ts';
import { nexoraSuccessors } from './nexora/states.ts';
import type { TrackerMind } from './presets.ts';
import { savantActions, savantSuccessors, savantTimeoutMs } from './savant/states.ts';
import { verdictsOf, type TrackerState } from './track.ts';
import { reportOf } from './verdict.ts';

/** Where the agent is, in one flat object: for a prompt, a log line or a page. */
export type TrackerSummary = {
  readonly currentState: string;
  readonly durationMs: number;
  /** How long the state may last; null for as long as it takes. Who finishes the work should take no longer either. */
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

export function summaryOf(state: TrackerState, at: number): TrackerSummary {
  const { mind } = state;
  const { machine } = mind;
  const report = reportOf(verdictsOf(mind, at)[0]);
  return {
    currentState: machine.state,
    durationMs: durationMs(machine, at),
    timeoutMs: mind.kind === 'savant' ? savantTimeoutMs(mind.machine.state, mind.config) : null,
    stepCount: machine.steps,
    stateStepCount: machine.stateSteps,
    historyLength: machine.history.length,
    stuck: report.stuck,
    suggestedExit: report.advice || null,
    allowedActions: allowedActionsOf(state),
    nextStates: nextStatesOf(state),
    lastTools: callsOf(mind).map(({ tool }) => tool),
    lastQueries: mind.kind === 'savant' ? mind.queries.map(({ query }) => query) : [],
  };
}

function callsOf(mind: TrackerMind): readonly { readonly tool: string }[] {
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

/** The tools that may be called; `*` is any. */
export function allowedActionsOf({ mind }: TrackerState): readonly string[] {
  if (mind.kind === 'savant') return savantActions(mind.machine.state, mind.config);
  return mind.machine.state === 'Halted' ? [] : ['*'];
}

export function nextStatesOf({ mind }: TrackerState): readonly string[] {
  if (mind.kind === 'savant') return savantSuccessors(mind.machine.state, mind.config);
  return mind.kind === 'nexora' ? nexoraSuccessors(mind.machine.state) : [];
}
