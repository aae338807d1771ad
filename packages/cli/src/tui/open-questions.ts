import type { Answer } from './questions.ts';

/** Those who wait for an answer, by the number of their question. */
export type OpenQuestions = {
  /** Waits for the answer to a new question; null when it is called off. `change` is told when it comes and goes. */
  wait(signal: AbortSignal, change: (number: number, isOpen: boolean) => void): Promise<Answer | null>;
  answer(number: number, answer: Answer): void;
  /** Nobody is there any more. */
  callOff(): void;
};

export function openQuestions(): OpenQuestions {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let last = 0;
  return {
    wait(signal, change) {
      last += 1;
      const number = last;
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      const end = (answer: Answer | null): void => {
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
