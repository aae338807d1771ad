/** Replaces the final answer of a model that called a tool although none was offered. */
export function formatFallbackAnswer(finish: string | null): string {
  return `The work was stopped: ${finish ?? 'it had come to its end'}. The model gave no last answer.`;
}
