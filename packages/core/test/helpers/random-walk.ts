import * as fc from 'fast-check';
import {
  createSession,
  isEphemeralEvent,
  step,
  type Event,
  type Session,
  type SessionSettings,
  type SessionStep,
} from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import { createDice, type SeededDice } from './seeded-dice.ts';
import { choosePlausibleEvent } from './choose-plausible-event.ts';

/** One step of a walk: the session before it, what happened, and what came of it. */
export type WalkStep = { readonly before: Session; readonly event: Event; readonly after: SessionStep };

export type RandomWalk = {
  readonly start: Session;
  readonly steps: readonly WalkStep[];
  readonly end: Session;
};

export type WalkOptions = {
  readonly profile?: string;
  readonly settings?: Partial<SessionSettings>;
  readonly maxLength?: number;
  /** Chooses the next event by looking at the session; `plausible` unless told otherwise. */
  readonly choose?: (session: Session, throws: SeededDice) => Event;
};

/** Long random walks, mostly of events that mean something in the state at hand. */
export function createWalkArbitrary(options: WalkOptions = {}): fc.Arbitrary<RandomWalk> {
  const { choose = choosePlausibleEvent, maxLength = 100 } = options;
  const throws = fc.array(fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 }), {
    minLength: 1,
    maxLength,
    size: 'max',
  });
  return fc
    .tuple(createSessionArbitrary(options), throws)
    .map(([start, numbers]) => runWalk(start, numbers, choose))
    .map(attachEventTrace);
}

function runWalk(
  start: Session,
  numbers: readonly (readonly number[])[],
  choose: NonNullable<WalkOptions['choose']>,
): RandomWalk {
  const steps: WalkStep[] = [];
  let end = start;
  for (const errors of numbers) {
    const event = choose(end, createDice(errors));
    const after = step(end, event);
    steps.push({ before: end, event, after });
    end = after.session;
  }
  return { start, steps, end };
}

/** A session of some profile with some settings, or of those asked for. */
function createSessionArbitrary({ profile, settings }: WalkOptions): fc.Arbitrary<Session> {
  const base = fc.constantFrom(
    ...builtInProfiles.filter(({ name }) => profile === undefined || name === profile),
  );
  return fc.tuple(base, fc.option(anySettingsChange, { nil: {} })).map(([each, change]) =>
    createSession({
      id: 'walk',
      at: 0,
      profile: each.name,
      settings: { ...each.settings, ...(profile === undefined ? change : {}), ...settings },
      totalPhases: 3,
    }),
  );
}

const anySettingsChange: fc.Arbitrary<Partial<SessionSettings>> = fc.record({
  maxRetries: fc.nat(4),
  progressCheck: fc.boolean(),
  pageOnOverflow: fc.boolean(),
  maxRecoveries: fc.nat(3),
  haltOnFailedPhase: fc.boolean(),
  governor: fc.constantFrom({ preset: 'pawl', rules: {} } as const, { preset: 'none', rules: {} } as const),
  onInvalidEvent: fc.constantFrom('ignore' as const, 'refuse' as const, 'reset' as const),
  budgets: fc.constantFrom(null, {
    modelCalls: 20,
    toolCalls: null,
    tokens: null,
    cost: null,
    wallMs: 20_000,
  }),
});

/** A walk that failed is told by its events. */
function attachEventTrace(walk: RandomWalk): RandomWalk {
  const text = (): string =>
    [
      JSON.stringify(walk.start.settings),
      ...walk.steps.map(({ event, after }) => `${JSON.stringify(event)} → ${after.session.turn.status}`),
    ].join('\n');
  Object.defineProperty(walk, fc.toStringMethod, { value: text, enumerable: false });
  return walk;
}

/** The same walk without what is only for showing. */
export function replayWithoutEphemeral({ start, steps }: RandomWalk): RandomWalk {
  let end = start;
  const durable = steps
    .filter(({ event }) => !isEphemeralEvent(event))
    .map(({ event }): WalkStep => {
      const before = end;
      const after = step(before, event);
      end = after.session;
      return { before, event, after };
    });
  return attachEventTrace({ start, steps: durable, end });
}

/** The events that a store would keep: those that changed something durable. */
export function listDurableEvents({ steps }: RandomWalk): readonly Event[] {
  return steps.filter(({ before, after }) => after.session.seq !== before.seq).map(({ event }) => event);
}
