import type { PermissionAnswer, PermissionQuestion } from '@pawl/runtime/permission';
import type { UserQuestion } from '@pawl/runtime/tools';
import { isWaitingForUser, type ScreenModel, type PendingQuestion } from './screen-model.ts';

export type QuestionAnswer =
  | { readonly kind: 'permission'; readonly answer: PermissionAnswer }
  | { readonly kind: 'model'; readonly answer: string };

export type NewQuestion =
  | { readonly kind: 'permission'; readonly question: PermissionQuestion }
  | { readonly kind: 'model'; readonly question: UserQuestion };

export function addQuestion(model: ScreenModel, number: number, newQuestion: NewQuestion): ScreenModel {
  const question = { ...newQuestion, number, shownAt: null, scroll: 0 } as PendingQuestion;
  return showFirstQuestion({ ...model, questions: [...model.questions, question] });
}

/** Removes a question that was answered or cancelled. */
export function removeQuestion(model: ScreenModel, number: number): ScreenModel {
  const questions = model.questions.filter((each) => each.number !== number);
  if (questions.length === model.questions.length) return model;
  const { descriptor, ui } = model;
  const isTyping =
    (ui.isTyping && ui.input.text !== '') || (descriptor.mode === 'chat' && isWaitingForUser(model));
  return showFirstQuestion({ ...model, questions, ui: { ...ui, isTyping } });
}

export function getOpenQuestion({ questions }: ScreenModel): PendingQuestion | null {
  return questions[0] ?? null;
}

export function setQuestionScroll(model: ScreenModel, scroll: number): ScreenModel {
  const [first, ...others] = model.questions;
  return first === undefined ? model : { ...model, questions: [{ ...first, scroll }, ...others] };
}

/**
 * A question switches to the work view; a question of the model starts the input line. A user in the middle of a line
 * stays there, because the text is not an answer to a question they have not read.
 */
function showFirstQuestion(model: ScreenModel): ScreenModel {
  const [first, ...others] = model.questions;
  if (first === undefined || first.shownAt !== null) return model;
  const isTyping = first.kind === 'model' || (model.ui.isTyping && model.ui.input.text !== '');
  return {
    ...model,
    questions: [{ ...first, shownAt: model.now }, ...others],
    ui: { ...model.ui, view: 'work', scroll: 0, frozen: null, isTyping },
  };
}

/** Pending questions, by number. */
type QuestionQueue = {
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
