import type { QuestionAnswer } from './questions.ts';

/** Pending questions, by number. */
export type QuestionQueue = {
  /**
   * Waits for the answer to a new question; null if it is cancelled. `change` is called when the question opens and
   * closes.
   */
  wait(
    signal: AbortSignal,
    change: (number: number, isOpen: boolean) => void,
  ): Promise<QuestionAnswer | null>;
  answer(number: number, answer: QuestionAnswer): void;
  /** Cancels all pending questions. */
  callOff(): void;
};

export function createQuestionQueue(): QuestionQueue {
  const waiting = new Map<number, (answer: QuestionAnswer | null) => void>();
  let last = 0;
  return {
    wait(signal, change) {
      last += 1;
      const number = last;
      const { promise, resolve } = Promise.withResolvers<QuestionAnswer | null>();
      const end = (answer: QuestionAnswer | null): void => {
        signal.removeEventListener('abort', onAbort);
        waiting.delete(number);
        change(number, false);
        resolve(answer);
      };
      const onAbort = (): void => end(null);
      waiting.set(number, end);
      signal.addEventListener('abort', onAbort, { once: true });
      change(number, true);
      if (signal.aborted) onAbort();
      return promise;
    },
    answer: (number, answer) => waiting.get(number)?.(answer),
    callOff() {
      for (const end of waiting.values()) end(null);
    },
  };
}
