import { profiles, type Session, type SessionOptions } from '../../src/index.ts';
import { plausible, stubborn } from '../helpers/plausible.ts';
import { sessionOf } from '../helpers/tell.ts';
import { wander, type Tale } from './tale.ts';
import { librarianTales, searchTales } from './tales-of-modes.ts';
import { governedTales, verdictTales } from './tales-of-trouble.ts';
import { turnTales } from './tales-of-turns.ts';

/**
 * A session as those were that were begun before behaviours had numbers. Each tale has its log in `logs/`; add tales, and
 * leave those that are there.
 */
const first = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  sessionOf(profile, { behaviour: 0, ...options });

export const tales: readonly Tale[] = [
  ...turnTales(first),
  ...verdictTales(first),
  ...governedTales(first),
  ...searchTales(first),
  ...librarianTales(first),
  ...profiles.map(({ name }, index) =>
    wander(`wander-${name}`, first(name, { totalPhases: 3 }), { seed: 100 + index, choose: plausible }),
  ),
  wander('wander-stubborn', first('pawl'), { seed: 201, choose: stubborn }),
  wander('wander-halting', first('nexora', { settings: { haltOnFailedPhase: true, maxRetries: 2 } }), {
    seed: 202,
    choose: plausible,
  }),
  wander('wander-reset', first('loom', { settings: { onInvalidEvent: 'reset' } }), {
    seed: 203,
    choose: plausible,
  }),
];
