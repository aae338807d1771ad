/** What an agent is told about where it is. */
export type StateSection = {
  readonly phase: string;
  readonly durationMs: number;
  readonly stuck: boolean;
  readonly advice: string | null;
};

/** Models heed what stands last, so this belongs at the very bottom of the prompt. */
export function stateSection({ phase, durationMs, stuck, advice }: StateSection): readonly string[] {
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
