import type { Rule } from '../rule.ts';
import { againAndAgain } from './again-and-again.ts';
import { errorStreak } from './error-streak.ts';
import { interleavedErrors } from './interleaved-errors.ts';
import { nothingWorks } from './nothing-works.ts';
import { repeatedCall } from './repeated-call.ts';
import { repeatedFailure } from './repeated-failure.ts';
import { roundAndRound } from './round-and-round.ts';
import { sameAnswer } from './same-answer.ts';
import { staleErrors } from './stale-errors.ts';

/** The rules of the default profile. Of findings equally grave, the first rule's is told: the most specific. */
export const pawlRules: readonly Rule[] = [
  repeatedFailure,
  repeatedCall,
  errorStreak,
  roundAndRound,
  staleErrors,
  nothingWorks,
  interleavedErrors,
  againAndAgain,
  sameAnswer,
];
