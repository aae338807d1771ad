import { allows, call, denies, finishes, replies, says } from '../helpers/happenings.ts';
import type { Happening } from '../helpers/tell.ts';
import { tale, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

const times = (count: number, round: readonly Happening[]): readonly Happening[] =>
  Array.from({ length: count }, () => round).flat();

/** Models that ask again and again for what is denied. */
export function denialTales(begin: Begin): readonly Tale[] {
  return [
    tale('3-denied-by-rule', 'A rule denies the same call over and over.', begin('pawl'), [
      says('Tidy up.'),
      ...times(9, [replies('', call('a', 'bash', 'deny'))]),
    ]),
    tale('3-denied-by-person', 'A person denies the same call over and over.', begin('pawl'), [
      says('Tidy up.'),
      ...times(9, [replies('', call('a', 'bash', 'ask')), denies('a')]),
    ]),
    tale('3-denied-once', 'One denial among work that goes on.', begin('pawl'), [
      says('Tidy up.'),
      replies('', call('a', 'bash', 'ask'), call('b')),
      denies('a'),
      finishes('b'),
      replies('', call('a', 'bash', 'ask')),
      allows('a'),
      finishes('a'),
      replies('Tidied.'),
    ]),
  ];
}
