/** One thing that was looked at. `advice` says what to do about it; null when nothing is. */
export type Check = {
  readonly name: string;
  /** Pawl does not work without it. */
  readonly needed: boolean;
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string | null;
};
