export type {
  CompletedPhase,
  CurrentPhase,
  PastPhase,
  Phase,
  PhaseState,
  PhaseWork,
} from './phases/phase.ts';
export {
  computePhaseProgress,
  computePhaseTotals,
  defaultPhasesMax,
  findPhaseProblem,
  formatPastPhaseLine,
  formatPhaseLine,
  getNextPhaseNumber,
} from './phases/progress.ts';
export type { PhaseProgress, PhaseTotals } from './phases/progress.ts';
