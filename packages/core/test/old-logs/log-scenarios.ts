import type { Session, SessionOptions } from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import { choosePlausibleEvent, chooseStubbornEvent } from '../helpers/choose-plausible-event.ts';
import { createProfileSession } from '../helpers/run-events.ts';
import { createRandomScenario, type LogScenario } from './log-scenario.ts';
import { createBudgetScenarios } from './budget-scenarios.ts';
import { createDenialScenarios } from './denial-scenarios.ts';
import { createFairCountScenarios } from './fair-count-scenarios.ts';
import { createFailedPhaseScenarios, createIntentScenario } from './failed-phase-scenarios.ts';
import { createMemoryScenarios } from './memory-scenarios.ts';
import { createLibrarianScenarios, createSearchScenarios } from './mode-scenarios.ts';
import { createResultScenarios } from './result-scenarios.ts';
import { createSeedScenarios } from './seed-scenarios.ts';
import { createSteeringScenarios } from './steering-scenarios.ts';
import { createGovernedScenarios, createVerdictScenarios } from './governor-scenarios.ts';
import { createTurnScenarios } from './turn-scenarios.ts';

/*
 * Each scenario has its log in `logs/`; add scenarios, and do not change existing ones. The logs of an older log version
 * were recorded with the code of that version.
 */

/** A session as it was stored before logs had versions. */
const createVersion0Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 0 });

const createVersion1Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 1 });

const createVersion2Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 2 });

const createVersion3Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 3 });

const createVersion4Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 4 });

const createVersion5Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 5 });

const createVersion6Session = (profile: string, options: Partial<SessionOptions> = {}): Session =>
  createProfileSession(profile, { ...options, logVersion: 6 });

export const logScenarios: readonly LogScenario[] = [
  ...createTurnScenarios(createVersion0Session),
  ...createVerdictScenarios(createVersion0Session),
  ...createGovernedScenarios(createVersion0Session),
  ...createSearchScenarios(createVersion0Session),
  ...createLibrarianScenarios(createVersion0Session),
  ...builtInProfiles.map(({ name }, index) =>
    createRandomScenario(`wander-${name}`, createVersion0Session(name, { totalPhases: 3 }), {
      seed: 100 + index,
      choose: choosePlausibleEvent,
    }),
  ),
  createRandomScenario('wander-stubborn', createVersion0Session('pawl'), {
    seed: 201,
    choose: chooseStubbornEvent,
  }),
  createRandomScenario(
    'wander-halting',
    createVersion0Session('nexora', { settings: { haltOnFailedPhase: true, maxRetries: 2 } }),
    {
      seed: 202,
      choose: choosePlausibleEvent,
    },
  ),
  createRandomScenario(
    'wander-reset',
    createVersion0Session('loom', { settings: { onInvalidEvent: 'reset' } }),
    {
      seed: 203,
      choose: choosePlausibleEvent,
    },
  ),
  ...createFailedPhaseScenarios(createVersion1Session),
  createIntentScenario(createVersion1Session),
  createRandomScenario(
    '1-wander-halting',
    createVersion1Session('nexora', { totalPhases: 3, settings: { haltOnFailedPhase: true } }),
    {
      seed: 301,
      choose: choosePlausibleEvent,
    },
  ),
  createRandomScenario('1-wander-pawl', createVersion1Session('pawl'), {
    seed: 302,
    choose: choosePlausibleEvent,
  }),
  createRandomScenario('1-wander-lkj', createVersion1Session('lkj'), {
    seed: 303,
    choose: choosePlausibleEvent,
  }),
  ...createSteeringScenarios(createVersion1Session),
  ...createBudgetScenarios(createVersion2Session),
  ...createDenialScenarios(createVersion3Session),
  ...createMemoryScenarios(createVersion3Session),
  ...createFairCountScenarios(createVersion4Session),
  ...createResultScenarios(createVersion5Session),
  ...createSeedScenarios(createVersion6Session),
];
