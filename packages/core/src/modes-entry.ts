export { findModeChart, modeCharts } from './modes/charts/built-in.ts';
export {
  createLkj1Chart,
  createLkjChart,
  type Lkj1State,
  type LkjOptions,
  type LkjState,
} from './modes/charts/lkj.ts';
export { createSavantChart, type SavantOptions } from './modes/charts/savant.ts';
export { ChartError, defineChart, isModeName, modeNameRequirement } from './modes/define-chart.ts';
export type { ChartPath, ModeChartInput, ModeStateInput } from './modes/define-chart.ts';
export type { ModeChart, ModeState, TransitionPolicy } from './modes/mode-chart.ts';
export { appendModePrompt, renderModeSection } from './modes/mode-prompt.ts';
export type { ModePromptOptions } from './modes/mode-prompt.ts';
export {
  findReachedModeLimit,
  getModeTimeLimit,
  resumeMode,
  startMode,
  type CurrentMode,
  type ModeChange,
  type ReachedModeLimit,
  computeTransitionStats,
  findBestTransition,
  type RecordedModeChanges,
  type TransitionStats,
} from './modes/mode.ts';
export { takesTextForThought } from './reducers/reduce-mode.ts';
export {
  isTerminalMode,
  listAllowedTools,
  listNextStates,
  listOfferedTools,
  transitionMode,
} from './modes/transition-mode.ts';
export type { ModeEvent, ModeEventPayload, ModeTransition } from './modes/transition-mode.ts';
export { listSpokenLines } from './projections/transcript.ts';
