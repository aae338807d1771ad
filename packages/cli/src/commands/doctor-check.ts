/** The result of one check. `advice` says how to fix a problem; null if there is none. */
export type DoctorCheck = {
  readonly name: string;
  /** Whether Pawl requires it. */
  readonly needed: boolean;
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string | null;
};
