import type { SightingKind, SightingOf } from './sighting.ts';

/** How grave a finding is, mildest first: tell the model, refuse the call, ask a person, end the work with an answer. */
export type Level = 'advise' | 'refuse' | 'ask' | 'finish';

/** From how many on a rule has which consequence; null for never. */
export type Thresholds = {
  readonly advise: number | null;
  readonly refuse: number | null;
  readonly ask?: number | null;
  readonly finish: number | null;
};

/** What a rule saw. `count` is compared with its thresholds. */
export type Sight = {
  readonly count: number;
  /** What proves it, oldest first. */
  readonly evidence: readonly { readonly seq: number }[];
  /** What makes this loop this loop and no other, so that advice is given once for each. */
  readonly loop: string;
  readonly reason: string;
  readonly advice: string;
};

/** A rule that looks at what is seen under one kind. */
export type RuleOn<Kind extends SightingKind> = {
  readonly id: string;
  /** Why this is a sign of going round in circles. */
  readonly because: string;
  readonly on: Kind;
  readonly thresholds: Thresholds;
  /** What is counted, where it is not calls: seconds, replies. */
  readonly unit?: string;
  readonly look: (window: readonly SightingOf<Kind>[]) => Sight | null;
};

/** A rule about tool calls need not say so. */
type RuleOnWork = Omit<RuleOn<'work'>, 'on'> & { readonly on?: 'work' };

/**
 * A rule looks at the latest sightings of its kind, newest last, and says what it sees in the newest one, or null.
 * Pure, and its cost is bounded by the length of the window.
 */
export type Rule =
  | RuleOnWork
  | RuleOn<'waiting'>
  | RuleOn<'talk'>
  | RuleOn<'decision'>
  | RuleOn<'paging'>
  | RuleOn<'chant'>
  | RuleOn<'mode'>;
