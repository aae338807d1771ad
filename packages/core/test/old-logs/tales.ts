import { profiles, type Session, type SessionOptions } from '../../src/index.ts';
import { plausible, stubborn } from '../helpers/plausible.ts';
import { sessionOf } from '../helpers/tell.ts';
import { wander, type Tale } from './tale.ts';
import { budgetTales } from './tales-of-budgets.ts';
import { denialTales } from './tales-of-denials.ts';
import { fairCountTales } from './tales-of-fair-counts.ts';
import { failedPhaseTales, intentTale } from './tales-of-failed-phases.ts';
import { memoryTales } from './tales-of-memory.ts';
import { librarianTales, searchTales } from './tales-of-modes.ts';
import { steeringTales } from './tales-of-steering.ts';
import { governedTales, verdictTales } from './tales-of-trouble.ts';
import { turnTales } from './tales-of-turns.ts';

/*
 * Each tale has its log in `logs/`; add tales, and leave those that are there. The code of the time made the logs of an older
 * behaviour, before the next one was written.
 */

/** A session as those were that were begun before behaviours had numbers. */
const first = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  sessionOf(profile, { ...options, behaviour: 0 });

const second = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  sessionOf(profile, { ...options, behaviour: 1 });

const third = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  sessionOf(profile, { ...options, behaviour: 2 });

const fourth = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  sessionOf(profile, { ...options, behaviour: 3 });

const fifth = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  sessionOf(profile, { ...options, behaviour: 4 });

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
  ...failedPhaseTales(second),
  intentTale(second),
  wander('1-wander-halting', second('nexora', { totalPhases: 3, settings: { haltOnFailedPhase: true } }), {
    seed: 301,
    choose: plausible,
  }),
  wander('1-wander-pawl', second('pawl'), { seed: 302, choose: plausible }),
  wander('1-wander-lkj', second('lkj'), { seed: 303, choose: plausible }),
  ...steeringTales(second),
  ...budgetTales(third),
  ...denialTales(fourth),
  ...memoryTales(fourth),
  ...fairCountTales(fifth),
];
