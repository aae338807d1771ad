import type { Observation } from './observation.ts';
import type { Talk } from './talk.ts';

/** A reply that could not be understood, so that nothing came of it. */
export type FailedDecision = {
  readonly kind: 'decision';
  readonly seq: number;
  /** Which reply: several calls of one that cannot be understood are one failed decision. */
  readonly request: number;
};

/** Room was made, or was to be made, in the model's window. */
export type PagingSeen = {
  readonly kind: 'paging';
  readonly seq: number;
  /** Hardly anything was freed, or what was freed was not enough to ask the model. */
  readonly fruitless: boolean;
};

/** A reply that is one piece said again and again. */
export type Chanted = {
  readonly kind: 'chant';
  readonly seq: number;
  readonly block: string;
  readonly times: number;
};

/** A reply in a mode that has lasted beyond a limit of its chart. */
export type OverdueMode = {
  readonly kind: 'mode';
  readonly seq: number;
  readonly state: string;
  readonly since: number;
  readonly reason: string;
};

/** Anything the governor sees: a call that ended, a reply without calls, or something that went wrong in between. */
export type Sighting = Observation | Talk | FailedDecision | PagingSeen | Chanted | OverdueMode;

export type SightingKind = Sighting['kind'];

/** Looking at one thing again and again with one answer, put together: it may go on for long. */
export type Wait = { readonly first: Observation; readonly last: Observation; readonly looks: number };

/** What a rule on a kind looks at. */
export type SightingOf<Kind extends SightingKind> = Kind extends 'waiting'
  ? Wait
  : Kind extends 'work'
    ? Observation
    : Extract<Sighting, { readonly kind: Kind }>;
