import type { Settings } from '../../src/index.ts';
import {
  allows,
  call,
  denies,
  finishes,
  overflows,
  paged,
  pauses,
  replies,
  resumes,
  says,
  steers,
} from '../helpers/happenings.ts';
import { plausible } from '../helpers/plausible.ts';
import type { Happening } from '../helpers/tell.ts';
import { saying, tale, wander, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

const hourMs = 3_600_000;
const inTime: Partial<Settings> = {
  budgets: { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: 60_000 },
};

/** So many hours into the tale. */
const after = (hours: number, happening: Happening): Happening => ({ ...happening, at: hours * hourMs });

const nothingToMove = (): Happening => saying(paged(0), { heldTokens: 0 });

/** Time that a person takes is not the agent's, and making room where there is nothing to move is in vain. */
export function fairCountTales(begin: Begin): readonly Tale[] {
  const timed = (profile: string): ReturnType<Begin> => begin(profile, { settings: inTime });
  return [
    tale('4-time-permission', 'A person takes hours to decide, and the work goes on.', timed('pawl'), [
      says('Tidy up.'),
      replies('', call('a', 'bash', 'ask'), call('b', 'bash', 'ask')),
      after(1, allows('a')),
      after(2, denies('b')),
      finishes('a'),
      replies('', call('c', 'bash', 'ask')),
      after(3, steers('And the shed?')),
      after(4, denies('c')),
      replies('Tidied.'),
    ]),
    tale('4-time-pause', 'A pause takes hours, with a permission in it.', timed('nexora'), [
      says('Tidy up.'),
      replies('', call('a', 'bash', 'ask')),
      after(1, pauses()),
      after(2, allows('a')),
      after(3, resumes()),
      finishes('a'),
      after(4, replies('That took me too long.', call('b'))),
      finishes('b'),
      replies('I got this far.'),
    ]),
    tale('4-paging-nothing', 'Room is to be made twice where there is nothing to move.', begin('pawl'), [
      says('Tidy up.'),
      overflows(),
      nothingToMove(),
      overflows(),
      nothingToMove(),
    ]),
    wander('4-wander-time', timed('pawl'), { seed: 501, choose: plausible }),
  ];
}
