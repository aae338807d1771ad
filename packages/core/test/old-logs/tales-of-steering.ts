import type { Event, Session } from '../../src/index.ts';
import type { Dice } from '../helpers/dice.ts';
import {
  allows,
  asksToFinish,
  asksToPage,
  broke,
  call,
  cancels,
  denies,
  endsPhase,
  fails,
  finishes,
  halts,
  hooksFail,
  hooksFinish,
  judged,
  overflows,
  paged,
  pagingFails,
  pauses,
  recovers,
  replies,
  resumes,
  retryIsDue,
  says,
  shutsDown,
  starts,
  startsPhase,
  steers,
  worked,
} from '../helpers/happenings.ts';
import { plausible } from '../helpers/plausible.ts';
import type { Happening } from '../helpers/tell.ts';
import { tale, wander, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

/** A person who speaks while work is under way. */
export function steeringTales(begin: Begin): readonly Tale[] {
  return [...statesTales(begin), ...endTales(begin), ...storyTales(begin), ...wanderTales(begin)];
}

function statesTales(begin: Begin): readonly Tale[] {
  return [
    tale('1-steered-states', 'Something is said in every state with work under way.', begin('pawl'), [
      steers('Tidy up.'),
      steers('Not the shed.'),
      replies('', call('a', 'bash', 'ask'), call('b')),
      steers('Ask me first.'),
      allows('a'),
      starts('a'),
      steers('one'),
      steers('two'),
      finishes('b'),
      finishes('a'),
      steers('while hooks run'),
      hooksFail(),
      steers('while they are waited for'),
      retryIsDue(),
      hooksFinish(),
      fails(),
      steers('while the model is down'),
      retryIsDue(),
      overflows(),
      steers('while there is no room'),
      pagingFails(),
      retryIsDue(),
      paged(),
      replies('', call('c')),
      judged('recover'),
      finishes('c'),
      steers('a way out'),
      recovers(),
      steers('and more'),
      replies('Done.'),
      replies('Done again.'),
      asksToPage(),
      steers('while room is made'),
      paged(),
      replies('That is all.'),
    ]),
    tale(
      '1-steered-pause',
      'Something is said during a pause, in the midst of work and idle.',
      begin('loom'),
      [
        says(),
        replies('', call('a')),
        pauses(),
        steers('later'),
        finishes('a'),
        resumes(),
        replies('So.'),
        pauses(),
        steers('now'),
        resumes(),
        replies('', call('b', 'bash', 'ask')),
        steers('no'),
        denies('b'),
        replies('Good.'),
      ],
    ),
  ];
}

function endTales(begin: Begin): readonly Tale[] {
  const about = 'What was said stays when the work ends before it is heard.';
  const ends = (name: string, ...way: readonly Happening[]): Tale =>
    tale(`1-steered-${name}`, about, begin('pawl'), [
      says(),
      replies('', call('a'), call('b')),
      starts('a'),
      steers('wait'),
      ...way,
    ]);
  return [
    ends('cancel', cancels(), says('Go on.'), replies('Yes.')),
    ends('halt', halts()),
    ends('shutdown', shutsDown()),
    ends('finish', asksToFinish(), finishes('a'), finishes('b'), steers('too late'), replies('The end.')),
  ];
}

/** The same call, failing the same way. */
function missing(id: string): readonly Happening[] {
  return [replies('', { id, tool: 'read', args: 'gone.txt' }), finishes(id, broke())];
}

function storyTales(begin: Begin): readonly Tale[] {
  return [
    tale('1-steered-governor', 'A word in time: the same failure is another story.', begin('pawl'), [
      says(),
      ...missing('a'),
      ...missing('b'),
      ...missing('c'),
      replies('', call('d')),
      steers('It has moved.'),
      finishes('d'),
      ...missing('e'),
      ...missing('f'),
    ]),
    tale('1-steered-phases', 'A word with a change of phase, and with a verdict.', begin('nexora'), [
      startsPhase(1, 'Begin.'),
      replies('', call('a')),
      steers('quickly'),
      endsPhase(),
      startsPhase(2),
      finishes('a'),
      replies('', call('b')),
      judged('ask'),
      steers('like this'),
      finishes('b'),
      replies('', call('c')),
      steers('or that'),
      judged('finish'),
      finishes('c'),
      steers('too late'),
      replies('The end.'),
    ]),
    tale('1-steered-savant', 'A word when the work had come to its end.', begin('savant'), [
      says(),
      replies('', call('a', 'context.fts_search')),
      steers('in the shed'),
      finishes('a'),
      replies('It is there.'),
      replies('', call('b', 'finish')),
      steers('And the other one?'),
      finishes('b', worked('all', true)),
      replies('', call('c', 'context.fts_search')),
      finishes('c'),
    ]),
    tale(
      '1-steered-window',
      'A word that is too long for the window of the model, on a budget of time.',
      begin('pawl', { settings: { windowTokens: 300, budgets } }),
      [
        says(),
        replies('', call('a')),
        steers('word '.repeat(400)),
        finishes('a'),
        paged(),
        replies('', call('b')),
        { ...steers('Go on.'), at: 950 },
        { ...finishes('b'), at: 960 },
        replies('', call('c')),
        { ...finishes('c'), at: 1_500 },
        { ...replies('', call('d')), at: 2_000 },
        paged(),
        replies('The end.'),
      ],
    ),
  ];
}

const budgets = { modelCalls: 20, toolCalls: null, tokens: null, cost: null, wallMs: 1_000 };

function wanderTales(begin: Begin): readonly Tale[] {
  return ['pawl', 'nexora', 'savant', 'lkj'].map((profile, index) =>
    wander(`1-steered-wander-${profile}`, begin(profile, { totalPhases: 3 }), {
      seed: 401 + index,
      choose: talkative,
    }),
  );
}

/** Somebody who cannot keep quiet. */
function talkative(session: Session, throws: Dice): Event {
  return throws.chance(20)
    ? { type: 'steered', at: session.turn.since + 1, text: `word ${session.seq}` }
    : plausible(session, throws);
}
