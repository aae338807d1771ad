/**
 * What every contender goes through: a goal, then step after step in which the model asks for a page of a file and gets
 * it, then an answer. No two steps are alike, so nothing can be saved by noticing that they are.
 */
export const goal = 'Go through the parts one by one and say what they do.';
export const answer = 'All parts have been read.';

export type Page = { readonly path: string; readonly from: number };

export type Asked = { readonly text: string; readonly callId: string; readonly page: Page };

export function askedAt(step: number): Asked {
  return {
    text: `Part ${step} comes next: what is in it decides where to go from here.`,
    callId: `call-${step}`,
    page: { path: `src/part-${step}.ts`, from: step + 1 },
  };
}

export function read({ path, from }: Page): string {
  return `${path}, from line ${from}: ${'a line of text that says what this part does. '.repeat(4)}`;
}

/** The goal, two messages a step, the answer. */
export function messagesAfter(steps: number): number {
  return 2 * steps + 2;
}
