import {
  call,
  cancels,
  endsPhase,
  fails,
  finishes,
  overflows,
  pauses,
  replies,
  reports,
  retryIsDue,
  says,
  starts,
  startsPhase,
} from '../helpers/happenings.ts';
import type { Happening } from '../helpers/tell.ts';
import { saying, tale, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

/** From behaviour 1 on, a failed phase that is to end the session does so when the work is called off. */
export function failedPhaseTales(begin: Begin): readonly Tale[] {
  const settings = { haltOnFailedPhase: true };
  const failing = begin('nexora', { settings });
  const failsIn = (state: string, session: typeof failing, ...way: readonly Happening[]): Tale =>
    tale(
      `1-failed-phase-${state}`,
      'A phase fails in the midst of work, and the work is called off.',
      session,
      [startsPhase(1, 'Begin.'), ...way, says('Go on.')],
    );
  return [
    failsIn('tools', failing, replies('', call('a'), call('b')), starts('a'), endsPhase(false), cancels()),
    failsIn('model', failing, endsPhase(false), startsPhase(2), cancels()),
    failsIn('permission', failing, replies('', call('a', 'bash', 'ask')), endsPhase(false), cancels()),
    failsIn('retry', failing, fails(), endsPhase(false), cancels()),
    failsIn('pause', begin('pawl', { settings }), overflows(), endsPhase(false), pauses(), cancels()),
    failsIn(
      'reset',
      begin('loom', { settings: { ...settings, onInvalidEvent: 'reset' } }),
      endsPhase(false),
      retryIsDue(),
    ),
    failsIn('unheeded', begin('pawl'), replies('', call('a')), endsPhase(false), cancels()),
  ];
}

export function intentTale(begin: Begin): Tale {
  const intent = { path: 'a.txt', before: 'one', after: 'two' };
  return tale('1-intents', 'Calls that say at their start what they are about to do.', begin('pawl'), [
    says(),
    replies('', call('a', 'edit'), call('b', 'write')),
    reports('a', 'looking'),
    saying(starts('a'), { intent }),
    reports('a', 'writing'),
    saying(starts('b'), { intent: null }),
    finishes('a'),
    pauses(),
    cancels(),
  ]);
}
