import { renderStateSection, type SectionFormat } from './state-section.ts';
import { computeStateDuration } from './tracker-machine.ts';
import { listTrackerVerdicts, type TrackerState } from './track-record.ts';

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
