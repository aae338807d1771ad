import type { AskedQuestion, NewQuestion } from './questions.ts';
import { isWaiting, type ScreenModel } from './screen.ts';

export function withQuestion(model: ScreenModel, number: number, asked: NewQuestion): ScreenModel {
  const question = { ...asked, number, shownAt: null, scroll: 0 } as AskedQuestion;
  return showFirst({ ...model, questions: [...model.questions, question] });
}

/** Answered, or called off. */
export function withoutQuestion(model: ScreenModel, number: number): ScreenModel {
  const questions = model.questions.filter((each) => each.number !== number);
  if (questions.length === model.questions.length) return model;
  const { about, ui } = model;
  const isTyping = (ui.isTyping && ui.input.text !== '') || (about.mode === 'chat' && isWaiting(model));
  return showFirst({ ...model, questions, ui: { ...ui, isTyping } });
}

export function openQuestion({ questions }: ScreenModel): AskedQuestion | null {
  return questions[0] ?? null;
}

export function scrolledQuestion(model: ScreenModel, scroll: number): ScreenModel {
  const [first, ...others] = model.questions;
  return first === undefined ? model : { ...model, questions: [{ ...first, scroll }, ...others] };
}

/**
 * A question brings the view where it is answered; one of the model's is answered by typing. Whoever is in the middle of a
 * line stays there: what they type on is no answer to what they have not read.
 */
function showFirst(model: ScreenModel): ScreenModel {
  const [first, ...others] = model.questions;
  if (first === undefined || first.shownAt !== null) return model;
  const isTyping = first.kind === 'model' || (model.ui.isTyping && model.ui.input.text !== '');
  return {
    ...model,
    questions: [{ ...first, shownAt: model.now }, ...others],
    ui: { ...model.ui, view: 'work', scroll: 0, held: null, isTyping },
  };
}
