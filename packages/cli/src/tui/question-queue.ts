import type { QuestionAnswer } from './questions.ts';

/** Pending questions, by number. */
export type QuestionQueue = {
  /**
   * Waits for the answer to a new question; null if it is cancelled. `onChange` is called when the question opens and
   * closes.
   */
  wait(
    signal: AbortSignal,
    onChange: (number: number, isOpen: boolean) => void,
  ): Promise<QuestionAnswer | null>;
  answer(number: number, answer: QuestionAnswer): void;
  /** Cancels all pending questions. */
  cancelAll(): void;
};

export function createQuestionQueue(): QuestionQueue {
  const resolvers = new Map<number, (answer: QuestionAnswer | null) => void>();
  let lastNumber = 0;
  return {
    wait(signal, onChange) {
      lastNumber += 1;
      const number = lastNumber;
      const { promise, resolve } = Promise.withResolvers<QuestionAnswer | null>();
      const settle = (answer: QuestionAnswer | null): void => {
        signal.removeEventListener('abort', onAbort);
        resolvers.delete(number);
        onChange(number, false);
        resolve(answer);
      };
      const onAbort = (): void => settle(null);
      resolvers.set(number, settle);
      signal.addEventListener('abort', onAbort, { once: true });
      onChange(number, true);
      if (signal.aborted) onAbort();
      return promise;
    },
    answer: (number, answer) => resolvers.get(number)?.(answer),
    cancelAll() {
      for (const settle of resolvers.values()) settle(null);
    },
  };
}
