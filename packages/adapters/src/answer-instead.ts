/** Stands in for the last answer of a model that was offered no tools and called one anyway. */
export function answerInstead(finish: string | null): string {
  return `The work was stopped: ${finish ?? 'it had come to its end'}. The model gave no last answer.`;
}
