import type { PendingQuestion, NewQuestion } from './questions.ts';
import { isWaitingForUser, type ScreenModel } from './screen-model.ts';

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
