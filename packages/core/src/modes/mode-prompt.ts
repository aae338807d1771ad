import { durationMs } from '../trackers/machine.ts';
import type { Mode } from './mode.ts';
import { stateNamed, type ModeChart, type ModeState } from './mode-chart.ts';
import { listed, selectableNext } from './names.ts';
import { stateSection, type SectionForm } from './state-section.ts';

/** When the prompt is made, and what whoever watches has to say. */
export type ModeView = {
  readonly at: number;
  readonly advice?: string | null | undefined;
  /** Whether the work was found stuck; in a stuck state it always is. */
  readonly stuck?: boolean | undefined;
  readonly form?: SectionForm | undefined;
};

/** A prompt with what the chart and the mode have to say, and where the agent is as its last section. */
export function withModePrompt(prompt: string, chart: ModeChart, mode: Mode, view: ModeView): string {
  const state = stateNamed(chart, mode.state);
  const parts = [prompt, chart.prompt, state?.prompt ?? '', modeSection(chart, mode, view)];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Where the agent is and where it can go, for its own eyes. */
export function modeSection(
  chart: ModeChart,
  mode: Mode,
  { at, advice = null, stuck = false, form }: ModeView,
): string {
  const here = stateNamed(chart, mode.state);
  const isStuck = stuck || chart.states.some(({ stuckState }) => stuckState === mode.state);
  const said = [advice, mode.refusal].filter((text) => text !== null);
  const section = stateSection({
    phase: mode.state,
    durationMs: durationMs(mode, Number.isFinite(at) ? at : mode.enteredAt),
    stuck: isStuck,
    advice: said.length === 0 ? null : said.join(' '),
    form,
  });
  if (here === undefined) return section.join('\n');
  const next = listed(
    selectableNext(chart, here).map((name) => name.toUpperCase()),
    'none',
  );
  return [...section, `Allowed Tools: ${toolsIn(chart, here)}`, `Next Phases: ${next}`].join('\n');
}

/** A tool of another mode may be picked where that leads there, and the model must not think that it may not. */
function toolsIn({ hops }: ModeChart, { tools, terminal }: ModeState): string {
  if (tools === '*') return 'any';
  const isOpen = hops.by === 'tool' && !terminal;
  return listed(tools, isOpen ? 'those of the next phases' : 'none');
}
