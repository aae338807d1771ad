import type { PermissionAnswer, PermissionQuestion, Question } from '@pawl/runtime';

/** What the user is asked: about a call, or by the model. They are put one after the other. */
export type AskedQuestion =
  | {
      readonly kind: 'permission';
      readonly number: number;
      readonly question: PermissionQuestion;
      /** When it came to be shown; null while another one is. */
      readonly shownAt: number | null;
      /** Rows gone on from the beginning. */
      readonly scroll: number;
    }
  | {
      readonly kind: 'model';
      readonly number: number;
      readonly question: Question;
      readonly shownAt: number | null;
      readonly scroll: number;
    };

/** What an answer is to a question. */
export type Answer =
  | { readonly kind: 'permission'; readonly answer: PermissionAnswer }
  | { readonly kind: 'model'; readonly answer: string };

export type NewQuestion =
  | { readonly kind: 'permission'; readonly question: PermissionQuestion }
  | { readonly kind: 'model'; readonly question: Question };
