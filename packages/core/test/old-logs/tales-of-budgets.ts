import type { Settings } from '../../src/index.ts';
import {
  asksToFinish,
  call,
  fails,
  finishes,
  overflows,
  replies,
  retryIsDue,
  says,
  steers,
} from '../helpers/happenings.ts';
import { plausible } from '../helpers/plausible.ts';
import { tale, wander, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

const calls = (modelCalls: number): Partial<Settings> => ({
  budgets: { modelCalls, toolCalls: null, tokens: null, cost: null, wallMs: null },
});

/** Sessions whose budget holds for retries and new turns as well. */
export function budgetTales(begin: Begin): readonly Tale[] {
  const pawl = (modelCalls: number): ReturnType<Begin> => begin('pawl', { settings: calls(modelCalls) });
  return [
    tale('2-budget-retry', 'A retry that is all that is left is asked for the last answer.', pawl(3), [
      says('Tidy up.'),
      replies('', call('a')),
      finishes('a'),
      fails(),
      retryIsDue(),
      replies('I got this far.'),
    ]),
    tale('2-budget-turns', 'A new turn begins with what is left.', pawl(3), [
      says('Tidy up.'),
      replies('', call('a')),
      finishes('a'),
      replies('Tidied.'),
      says('And the shed?'),
      replies('Later.'),
    ]),
    tale('2-budget-spent', 'With nothing left a failure is the end.', pawl(2), [
      says('Tidy up.'),
      fails(),
      steers('Hello?'),
      retryIsDue(),
      overflows(),
    ]),
    tale(
      '2-budget-finish',
      'A wish to finish with the last call that is paid for ends the session.',
      pawl(3),
      [
        says('Tidy up.'),
        replies('Tidied.'),
        says('And the shed?'),
        replies('', call('a')),
        asksToFinish(),
        finishes('a'),
        replies('Half of it.'),
      ],
    ),
    tale('2-budget-one', 'A budget of one call is one answer.', pawl(1), [
      says('Tidy up.'),
      replies('No.', call('a')),
    ]),
    wander('2-wander-budget', begin('nexora', { settings: calls(6) }), { seed: 401, choose: plausible }),
  ];
}
