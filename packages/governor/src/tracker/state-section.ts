/** The state information shown to an agent. */
export type StateSectionOptions = {
  readonly phase: string;
  readonly durationMs: number;
  readonly stuck: boolean;
  readonly advice: string | null;
  readonly format?: SectionFormat | undefined;
};

/** `brief` shows the time in seconds, and advice only when the agent is stuck. */
export type SectionFormat = 'full' | 'brief';

/**
 * Renders the state section, which belongs at the very bottom of the prompt because models follow the last instructions
 * best.
 */
export function renderStateSection(section: StateSectionOptions): readonly string[] {
  const { phase, durationMs, stuck, advice, format = 'full' } = section;
  if (format === 'brief') {
    return [
      '## Agent State',
      `Current Phase: ${phase.toUpperCase()}`,
      `Time in Phase: ${Math.floor(durationMs / 1_000)}s`,
      `Status: ${stuck ? 'STUCK' : 'HEALTHY'}`,
      ...(stuck && advice !== null ? [`Suggestion: ${toOneLine(advice)}`] : []),
    ];
  }
  return [
    '## Agent State',
    `Current Phase: ${phase.toUpperCase()}`,
    `Phase Duration: ${durationMs}ms`,
    `Status: ${stuck ? 'STUCK' : 'HEALTHY'}`,
    ...(advice === null ? [] : [`Advice: ${toOneLine(advice)}`]),
  ];
}

/** Advice may quote untrusted text, which must not start a line of its own in the prompt. */
function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
