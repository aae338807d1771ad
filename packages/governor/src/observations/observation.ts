import type { CallObservation } from './call-observation.ts';
import type { TextObservation } from './text-observation.ts';

/** A reply that could not be parsed, so it had no effect. */
export type FailedDecisionObservation = {
  readonly kind: 'decision';
  readonly seq: number;
  /** The request of the reply: several unparsable calls of one reply are one failed decision. */
  readonly request: number;
};

/** A paging attempt in the model's context window. */
export type PagingObservation = {
  readonly kind: 'paging';
  readonly seq: number;
  /** Almost nothing was freed, or not enough to call the model. */
  readonly fruitless: boolean;
};

/** A reply that consists of one block repeated many times. */
export type RepetitionObservation = {
  readonly kind: 'repetition-loop';
  readonly seq: number;
  readonly block: string;
  readonly times: number;
};

/** A reply in a mode that has exceeded a limit of its chart. */
export type OverdueModeObservation = {
  readonly kind: 'mode';
  readonly seq: number;
  readonly state: string;
  readonly since: number;
  readonly reason: string;
};

/** Anything the governor observes: a finished call, a reply without calls, or a failure in between. */
export type GovernorObservation =
  | CallObservation
  | TextObservation
  | FailedDecisionObservation
  | PagingObservation
  | RepetitionObservation
  | OverdueModeObservation;

export type ObservationKind = GovernorObservation['kind'];

/** A run of polling calls with the same result, merged into one observation because it can be long. */
export type WaitObservation = {
  readonly first: CallObservation;
  readonly last: CallObservation;
  readonly polls: number;
};

/** The observation type that rules on a kind receive. */
export type ObservationByKind<Kind extends ObservationKind> = Kind extends 'wait'
  ? WaitObservation
  : Kind extends 'call'
    ? CallObservation
    : Extract<GovernorObservation, { readonly kind: Kind }>;
