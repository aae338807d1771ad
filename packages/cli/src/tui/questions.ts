import type { PermissionAnswer, PermissionQuestion } from '@pawl/runtime/permission';
import type { UserQuestion } from '@pawl/runtime/tools';
import type { PendingQuestion, ScreenModel } from './screen-model.ts';

export type QuestionAnswer =
  | { readonly kind: 'permission'; readonly answer: PermissionAnswer }
  | { readonly kind: 'model'; readonly answer: string };

export type NewQuestion =
  | { readonly kind: 'permission'; readonly question: PermissionQuestion }
  | { readonly kind: 'model'; readonly question: UserQuestion };

export function addQuestion(model: ScreenModel, number: number, newQuestion: NewQuestion): ScreenModel {
  const question = { ...newQuestion, number, shownAt: null, scroll: 0, selected: 0 } as PendingQuestion;
  return showFirstQuestion({ ...model, questions: [...model.questions, question] });
}

/** Removes a question that was answered or cancelled. */
export function removeQuestion(model: ScreenModel, number: number): ScreenModel {
  const questions = model.questions.filter((each) => each.number !== number);
  if (questions.length === model.questions.length) return model;
  return showFirstQuestion({ ...model, questions });
}

export function getOpenQuestion({ questions }: ScreenModel): PendingQuestion | null {
  return questions[0] ?? null;
}

/** Changes what the open question shows. */
export function updateOpenQuestion(
  model: ScreenModel,
  change: Partial<Pick<PendingQuestion, 'scroll' | 'selected'>>,
): ScreenModel {
  const [first, ...others] = model.questions;
  return first === undefined ? model : { ...model, questions: [{ ...first, ...change }, ...others] };
}

/**
 * A question switches to the work view, and Enter answers it. A user in the middle of a message finishes that first,
 * because its text is not an answer to a question they have not read.
 */
function showFirstQuestion(model: ScreenModel): ScreenModel {
  const [first, ...others] = model.questions;
  if (first === undefined || first.shownAt !== null) return model;
  return {
    ...model,
    questions: [{ ...first, shownAt: model.now }, ...others],
    ui: { ...model.ui, view: 'work', scroll: 0, frozen: null, isAnswering: model.ui.input.text === '' },
  };
}

/** One line of the menu under a question about a tool call. */
export type PermissionOption = { readonly kind: 'allow' | 'always' | 'deny'; readonly label: string };

export function listPermissionOptions({ always }: PermissionQuestion): readonly PermissionOption[] {
  return [
    { kind: 'allow', label: 'Yes' },
    ...(always === null ? [] : [{ kind: 'always', label: `Yes, and always: ${always}` } as const]),
    { kind: 'deny', label: 'No' },
  ];
}

/**
 * The option that Enter chooses. The number of an option selects it; any other text is the reason for a denial.
 */
export function getSelectedOption(
  { question, selected }: Extract<PendingQuestion, { kind: 'permission' }>,
  typedText: string,
): { readonly index: number; readonly option: PermissionOption; readonly reason: string | null } {
  const options = listPermissionOptions(question);
  const text = typedText.trim();
  const number = parseOptionNumber(text, options.length);
  const reason = text === '' || number !== null ? null : text;
  const last = options.length - 1;
  const index = reason === null ? Math.min(number ?? selected, last) : last;
  return { index, option: options[index] ?? { kind: 'deny', label: 'No' }, reason };
}

/** Returns the index of the option with this number, or null. */
export function parseOptionNumber(text: string, count: number): number | null {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= count ? number - 1 : null;
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
