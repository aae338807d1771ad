import * as fc from 'fast-check';
import {
  createSession,
  isEphemeral,
  profiles,
  step,
  type Event,
  type Session,
  type Settings,
  type Step,
} from '../../src/index.ts';
import { dice, type Dice } from './dice.ts';
import { plausible } from './plausible.ts';

/** One step of a walk: the session before it, what happened, and what came of it. */
export type Stride = { readonly before: Session; readonly event: Event; readonly after: Step };

export type Walk = {
  readonly start: Session;
  readonly strides: readonly Stride[];
  readonly end: Session;
};

export type WalkOptions = {
  readonly profile?: string;
  readonly settings?: Partial<Settings>;
  readonly maxLength?: number;
  /** Chooses the next event by looking at the session; `plausible` unless told otherwise. */
  readonly choose?: (session: Session, throws: Dice) => Event;
};

/** Long random walks, mostly of events that mean something in the state at hand. */
export function walks(options: WalkOptions = {}): fc.Arbitrary<Walk> {
  const { choose = plausible, maxLength = 100 } = options;
  const throws = fc.array(fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 }), {
    minLength: 1,
    maxLength,
    size: 'max',
  });
  return fc
    .tuple(sessions(options), throws)
    .map(([start, numbers]) => walk(start, numbers, choose))
    .map(toldByEvents);
}

function walk(
  start: Session,
  numbers: readonly (readonly number[])[],
  choose: NonNullable<WalkOptions['choose']>,
): Walk {
  const strides: Stride[] = [];
  let end = start;
  for (const thrown of numbers) {
    const event = choose(end, dice(thrown));
    const after = step(end, event);
    strides.push({ before: end, event, after });
    end = after.session;
  }
  return { start, strides, end };
}

/** A session of some profile with some settings, or of those asked for. */
function sessions({ profile, settings }: WalkOptions): fc.Arbitrary<Session> {
  const base = fc.constantFrom(...profiles.filter(({ name }) => profile === undefined || name === profile));
  return fc.tuple(base, fc.option(changes, { nil: {} })).map(([each, change]) =>
    createSession({
      id: 'walk',
      at: 0,
      profile: each.name,
      settings: { ...each.settings, ...(profile === undefined ? change : {}), ...settings },
      totalPhases: 3,
    }),
  );
}

const changes: fc.Arbitrary<Partial<Settings>> = fc.record({
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
function toldByEvents(walked: Walk): Walk {
  const text = (): string =>
    [
      JSON.stringify(walked.start.settings),
      ...walked.strides.map(({ event, after }) => `${JSON.stringify(event)} → ${after.session.turn.status}`),
    ].join('\n');
  Object.defineProperty(walked, fc.toStringMethod, { value: text, enumerable: false });
  return walked;
}

/** The same walk without what is only for showing. */
export function withoutEphemeral({ start, strides }: Walk): Walk {
  let end = start;
  const durable = strides
    .filter(({ event }) => !isEphemeral(event))
    .map(({ event }): Stride => {
      const before = end;
      const after = step(before, event);
      end = after.session;
      return { before, event, after };
    });
  return toldByEvents({ start, strides: durable, end });
}

/** The events that a store would keep: those that changed something durable. */
export function logOf({ strides }: Walk): readonly Event[] {
  return strides.filter(({ before, after }) => after.session.seq !== before.seq).map(({ event }) => event);
}
