/** What an agent is told about where it is. */
export type StateSection = {
  readonly phase: string;
  readonly durationMs: number;
  readonly stuck: boolean;
  readonly advice: string | null;
  readonly form?: SectionForm | undefined;
};

/** `brief` gives the time in seconds, and what to do only when the agent is stuck. */
export type SectionForm = 'full' | 'brief';

/** Models heed what stands last, so this belongs at the very bottom of the prompt. */
export function stateSection(section: StateSection): readonly string[] {
  const { phase, durationMs, stuck, advice, form = 'full' } = section;
  if (form === 'brief') {
    return [
      '## Agent State',
      `Current Phase: ${phase.toUpperCase()}`,
      `Time in Phase: ${Math.floor(durationMs / 1_000)}s`,
      `Status: ${stuck ? 'STUCK' : 'HEALTHY'}`,
      ...(stuck && advice !== null ? [`Suggestion: ${oneLine(advice)}`] : []),
    ];
  }
  return [
    '## Agent State',
    `Current Phase: ${phase.toUpperCase()}`,
    `Phase Duration: ${durationMs}ms`,
    `Status: ${stuck ? 'STUCK' : 'HEALTHY'}`,
    ...(advice === null ? [] : [`Advice: ${oneLine(advice)}`]),
  ];
}

/** Advice may quote somebody's text: that must not begin a line of its own in the prompt. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
