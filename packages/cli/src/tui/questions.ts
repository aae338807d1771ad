import type { PermissionAnswer, PermissionQuestion } from '@pawl/runtime/permission';
import type { UserQuestion } from '@pawl/runtime/tools';

/** A question to the user, about a tool call or from the model. Questions are shown one at a time. */
export type PendingQuestion =
  | {
      readonly kind: 'permission';
      readonly number: number;
      readonly question: PermissionQuestion;
      /** When it was first shown; null while another question is shown. */
      readonly shownAt: number | null;
      /** Rows scrolled from the start. */
      readonly scroll: number;
    }
  | {
      readonly kind: 'model';
      readonly number: number;
      readonly question: UserQuestion;
      readonly shownAt: number | null;
      readonly scroll: number;
    };

export type QuestionAnswer =
  | { readonly kind: 'permission'; readonly answer: PermissionAnswer }
  | { readonly kind: 'model'; readonly answer: string };

export type NewQuestion =
  | { readonly kind: 'permission'; readonly question: PermissionQuestion }
  | { readonly kind: 'model'; readonly question: UserQuestion };
