import { computeStateDuration, renderStateSection } from '@pawl/governor/session-tracker';
import type { SectionFormat } from '@pawl/governor/tracker';
import type { CurrentMode } from './mode.ts';
import {
  getModeState,
  type ModeChart,
  type ModeState,
  formatNameList,
  listSelectableNames,
} from './mode-chart.ts';

/** Options of the mode section of a prompt: its time, and the governor's advice. */
export type ModePromptOptions = {
  readonly at: number;
  readonly advice?: string | null | undefined;
  /** Whether the work was found to be stuck; always true in a stuck state. */
  readonly stuck?: boolean | undefined;
  readonly format?: SectionFormat | undefined;
};

/** Appends the prompts of the chart and the mode, and the mode section as the last section. */
export function appendModePrompt(
  prompt: string,
  chart: ModeChart,
  mode: CurrentMode,
  options: ModePromptOptions,
): string {
  const state = getModeState(chart, mode.state);
  const parts = [prompt, chart.prompt, state?.prompt ?? '', renderModeSection(chart, mode, options)];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Renders the prompt section that tells the agent its mode and its options. */
export function renderModeSection(
  chart: ModeChart,
  mode: CurrentMode,
  { at, advice = null, stuck = false, format }: ModePromptOptions,
): string {
  const state = getModeState(chart, mode.state);
  const origin = findStuckOrigin(chart, mode);
  const isStuck = stuck || origin !== null;
  const guidance = [advice, mode.refusal].filter((text) => text !== null);
  const section = renderStateSection({
    phase: origin?.state ?? mode.state,
    durationMs:
      computeStateDuration(mode, Number.isFinite(at) ? at : mode.enteredAt) + (origin?.durationMs ?? 0),
    stuck: isStuck,
    advice: guidance.length === 0 ? null : guidance.join(' '),
    format,
  });
  if (state === undefined) return section.join('\n');
  const next = formatNameList(
    listSelectableNames(chart, state).map((name) => name.toUpperCase()),
    'none',
  );
  return [...section, `Allowed Tools: ${describeModeTools(chart, state)}`, `Next Phases: ${next}`].join('\n');
}

/** In a stuck state: the state the work is stuck in, which the agent knows, and how long it lasted. */
function findStuckOrigin(
  { states }: ModeChart,
  { state, history }: CurrentMode,
): { readonly state: string; readonly durationMs: number } | null {
  const origins = states.filter(({ stuckState }) => stuckState === state);
  if (origins.length === 0) return null;
  const change = history.at(-1);
  return change !== undefined && change.to === state && origins.some(({ name }) => name === change.from)
    ? { state: change.from, durationMs: change.durationMs }
    : { state: origins[0]?.name ?? state, durationMs: 0 };
}

/**
 * Calling a tool of another mode leads to that mode where possible, so the prompt must not say that it is forbidden.
 */
function describeModeTools({ transitions }: ModeChart, { tools, terminal }: ModeState): string {
  if (tools === '*') return 'any';
  const isOpen = transitions.by === 'tool' && !terminal;
  return formatNameList(tools, isOpen ? 'those of the next phases' : 'none');
}
