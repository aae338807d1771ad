/** What stands for the last answer where the model would not give one: it was offered no tools and asked for one anyway. */
export function answerInstead(finish: string | null): string {
  return `The work was stopped: ${finish ?? 'it had come to its end'}. The model gave no last answer.`;
}
