import type { Rule } from '../rule.ts';
import { againAndAgain } from './again-and-again.ts';
import { chanting } from './chanting.ts';
import { editAndRevert } from './edit-and-revert.ts';
import { errorStreak } from './error-streak.ts';
import { failedDecisions } from './failed-decisions.ts';
import { fruitlessPaging } from './fruitless-paging.ts';
import { interleavedErrors } from './interleaved-errors.ts';
import { monologue } from './monologue.ts';
import { noProgress } from './no-progress.ts';
import { nothingWorks } from './nothing-works.ts';
import { overdueMode } from './overdue-mode.ts';
import { repeatedCall } from './repeated-call.ts';
import { repeatedFailure } from './repeated-failure.ts';
import { repeatedText } from './repeated-text.ts';
import { roundAndRound } from './round-and-round.ts';
import { sameAnswer } from './same-answer.ts';
import { sameQuery } from './same-query.ts';
import { similarText } from './similar-text.ts';
import { staleErrors } from './stale-errors.ts';
import { waiting } from './waiting.ts';

/** The rules of the default profile. Of findings equally grave, the first rule's is told: the most specific. */
export const pawlRules: readonly Rule[] = [
  repeatedFailure,
  repeatedCall,
  errorStreak,
  editAndRevert,
  roundAndRound,
  staleErrors,
  nothingWorks,
  interleavedErrors,
  sameQuery,
  againAndAgain,
  sameAnswer,
  noProgress,
  waiting,
  repeatedText,
  similarText,
  monologue,
  chanting,
  failedDecisions,
  fruitlessPaging,
  overdueMode,
];
