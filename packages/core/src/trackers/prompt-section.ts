import { stateSection, type SectionForm } from '../modes/state-section.ts';
import { durationMs } from './machine.ts';
import { verdictsOf, type TrackerState } from './track.ts';

/**
 * Where the agent is, for its own eyes. Models heed what stands last, so this belongs at the very bottom of the prompt.
 * Advice is given when stuck, and after a wrong turn.
 */
export function promptSectionOf({ mind }: TrackerState, at: number, form: SectionForm = 'full'): string {
  const { machine } = mind;
  const [verdict] = verdictsOf(mind, at);
  const advice = verdict?.advice ?? (mind.kind === 'savant' ? mind.refusal : null);
  return stateSection({
    phase: machine.state,
    durationMs: durationMs(machine, at),
    stuck: verdict?.level === 'stuck',
    advice,
    form,
  }).join('\n');
}

export function withPromptSection(prompt: string, state: TrackerState, at: number): string {
  return `${prompt.trimEnd()}\n\n${promptSectionOf(state, at)}`;
}
