/**
 * The session that every contender runs: a goal, then steps in which the model requests and receives a page of a file,
 * then an answer. All steps differ, so that caching gives no advantage.
 */
export const benchGoal = 'Go through the parts one by one and say what they do.';
export const benchAnswer = 'All parts have been read.';

export type FilePage = { readonly path: string; readonly from: number };

export type PageRequest = { readonly text: string; readonly callId: string; readonly page: FilePage };

export function createPageRequest(step: number): PageRequest {
  return {
    text: `Part ${step} comes next: what is in it decides where to go from here.`,
    callId: `call-${step}`,
    page: { path: `src/part-${step}.ts`, from: step + 1 },
  };
}

export function readBenchPage({ path, from }: FilePage): string {
  return `${path}, from line ${from}: ${'a line of text that says what this part does. '.repeat(4)}`;
}

/** The goal, two messages per step, and the answer. */
export function countBenchMessages(steps: number): number {
  return 2 * steps + 2;
}
