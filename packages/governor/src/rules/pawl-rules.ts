import type { Rule } from './rule.ts';
import { recurringCall } from './recurring-call.ts';
import { repetitionLoop } from './repetition-loop.ts';
import { editAndRevert } from './edit-and-revert.ts';
import { errorStreak } from './error-streak.ts';
import { failedDecisions } from './failed-decisions.ts';
import { fruitlessPaging } from './fruitless-paging.ts';
import { interleavedErrors } from './interleaved-errors.ts';
import { textOnlyReplies } from './text-only-replies.ts';
import { noProgress } from './no-progress.ts';
import { failureStreak } from './failure-streak.ts';
import { overdueMode } from './overdue-mode.ts';
import { repeatedCall } from './repeated-call.ts';
import { repeatedFailure } from './repeated-failure.ts';
import { repeatedText } from './repeated-text.ts';
import { callCycle } from './call-cycle.ts';
import { sameAnswer } from './same-answer.ts';
import { sameQuery } from './same-query.ts';
import { similarText } from './similar-text.ts';
import { staleErrors } from './stale-errors.ts';
import { prolongedWait } from './prolonged-wait.ts';

/**
 * The rules of the default profile. Among equally severe matches the first rule wins, so the most specific come first.
 */
export const pawlRules: readonly Rule[] = [
  repeatedFailure,
  repeatedCall,
  errorStreak,
  editAndRevert,
  callCycle,
  staleErrors,
  failureStreak,
  interleavedErrors,
  sameQuery,
  recurringCall,
  sameAnswer,
  noProgress,
  prolongedWait,
  repeatedText,
  similarText,
  textOnlyReplies,
  repetitionLoop,
  failedDecisions,
  fruitlessPaging,
  overdueMode,
];
